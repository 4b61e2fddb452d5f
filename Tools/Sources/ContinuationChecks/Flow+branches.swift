import SwiftSyntax

extension Flow {
  mutating func visitGuard(_ node: GuardStmtSyntax, _ paths: Paths) -> Paths {
    let (decision, paths) = decide(node.conditions, paths)
    _ = run(node.body.statements, paths.excused(decision.isExcused || decision.isReleased))
    return paths
  }

  /// `top` is the first `if` of a chain of `else if`.
  mutating func visitIf(_ node: IfExprSyntax, _ paths: Paths, top: IfExprSyntax? = nil) -> Paths {
    let outer = obligation
    let (decision, paths) = decide(node.conditions, paths)
    let isQuiet = !obligation.isMentioned(in: node.body)
    let result = run(node.body.statements, paths.excused(decision.isExcused && isQuiet))
    obligation = outer
    let others = paths.excused(decision.isExcused && !isQuiet || decision.isReleased)
    switch node.elseBody {
    case .ifExpr(let next): return result.union(visitIf(next, others, top: top ?? node))
    case .codeBlock(let block): return result.union(run(block.statements, others))
    case nil:
      let reason =
        top == nil ? "this `if` may not apply" : "no branch of this `if … else if` may apply"
      return result.union(isQuiet ? others : others.skipping(at: top ?? node, reason))
    }
  }

  private mutating func decide(
    _ conditions: ConditionElementListSyntax,
    _ paths: Paths
  ) -> (decision: Decision, after: Paths) {
    let decision = Decision(conditions, for: obligation)
    let parts = conditions.map(\.parts)
    let after = parts.compactMap(\.value).reduce(paths) { visitTest($1, $0) }
    for case let (pattern?, value?) in parts { obligation.bind(pattern, to: value) }
    return (decision, after.deciding(by: decision))
  }

  /// Whether there is a completion handler is not a use of it.
  private mutating func visitTest(_ value: ExprSyntax, _ paths: Paths) -> Paths {
    let parts = value.as(SequenceExprSyntax.self).map { Array($0.elements) } ?? [value]
    return parts.reduce(paths) { obligation.isSubject($1) ? $0 : visit($1, $0) }
  }

  mutating func visitVariables(_ node: VariableDeclSyntax, _ paths: Paths) -> Paths {
    node.bindings.reduce(paths) { paths, binding in
      guard let value = binding.initializer?.value else { return paths }
      var after = obligation.isSubject(value) ? paths : visit(value, paths)
      if after != paths {
        // Whether the call was skipped may be asked later.
        after = after.mapPaths { $0.tested.insert(binding.pattern.trimmedDescription + "?") }
      }
      obligation.bind(binding.pattern, to: value)
      return after
    }
  }

  mutating func visitSwitch(_ node: SwitchExprSyntax, _ paths: Paths) -> Paths {
    let decision = Decision(node.subject, for: obligation)
    let paths = visitTest(node.subject, paths).deciding(by: decision).excused(decision.isExcused)
    return node.cases.compactMap { $0.as(SwitchCaseSyntax.self) }.reduce(into: []) { result, item in
      let outer = obligation
      let names = item.label.as(SwitchCaseLabelSyntax.self)
      if let names { obligation.shadow(names) }
      // What does not exist yet, or says that the SDK calls again.
      let isExcused =
        item.attribute != nil
        || names?.identifiers.contains { Words($0).saysState } == true
      let isQuiet = !obligation.isMentioned(in: item.statements)
      let before = exits.count
      let end = run(item.statements, paths.excused(isExcused && isQuiet))
        .union(take([.branch], since: before))
      result.formUnion(end.skipping(at: item, "this `case` does not resume"))
      obligation = outer
    }
  }

  mutating func visitDo(_ node: DoStmtSyntax, _ paths: Paths) -> Paths {
    guard !node.catchClauses.isEmpty else { return visit(node.body, paths) }
    let before = exits.count
    var result = visit(node.body, paths)
    let thrown = take([.error], since: before)
    for clause in node.catchClauses {
      let outer = obligation
      obligation.shadow(clause.catchItems)
      let isCancellation = clause.catchItems.identifiers.contains { $0.contains("ancel") }
      let end = run(clause.body.statements, thrown.excused(isCancellation))
      obligation = outer
      result.formUnion(end.skipping(at: clause, "this `catch` does not resume"))
    }
    if !node.catchClauses.contains(where: \.catchItems.isEmpty), !thrown.isEmpty {
      _ = exit(.error, thrown.excused(), at: node)
    }
    return result
  }

  /// How often a loop runs is not known.
  mutating func visitLoop(_ body: CodeBlockSyntax, _ paths: Paths) -> Paths {
    let before = exits.count
    let end = run(body.statements, paths).union(take([.branch, .iteration], since: before))
    return end.union(paths).excused(obligation.isMentioned(in: body))
  }
}
