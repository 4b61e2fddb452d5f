import SwiftSyntax

extension Flow {
  mutating func visitGuard(_ node: GuardStmtSyntax, _ paths: Paths) -> Paths {
    let failure = Failure(node.conditions, for: obligation)
    let (decision, paths) = decide(node.conditions, paths)
    let absence = Absence(node.conditions)
    let leaving = paths.excused(decision.isExcused || decision.isReleased)
    _ = run(
      node.body.statements,
      leaving.lacking(absence?.otherwise).unlikely(node.conditions.alwaysHold)
        .failed(failure.otherwise, unless: failure.isChoice)
    )
    return paths.lacking(absence?.inside)
  }

  /// With the chain of `else if` that it begins.
  mutating func visitIf(_ top: IfExprSyntax, _ paths: Paths) -> Paths {
    var (result, others, node) = (Paths(), paths, top)
    let answers = top.elseBody.map { obligation.isMentioned(in: $0) } ?? false
    while true {
      let outer = obligation
      let failure = Failure(node.conditions, for: obligation)
      let (decision, paths) = decide(node.conditions, others)
      let isQuiet = !obligation.isMentioned(in: node.body)
      let absence = Absence(node.conditions)
      var inside = paths.excused(decision.isExcused && isQuiet).lacking(absence?.inside)
      if isQuiet { inside = inside.failed(failure.inside, unless: failure.isChoice) }
      var end = run(node.body.statements, inside)
      if isQuiet, answers {
        let reason = "this branch does not \(obligation.verb)"
        var skip = skip(at: node, body: node.body.statements, reason)
        skip.group = top.position
        end = end.skipping(skip)
      }
      result.formUnion(end)
      obligation = outer
      limit(result)
      others = paths.excused(decision.isExcused && !isQuiet || decision.isReleased)
        .lacking(absence?.otherwise).unlikely(node.conditions.alwaysHold)
      if !isQuiet { others = others.failed(failure.otherwise, unless: failure.isChoice) }
      if let next = node.elseBody?.as(IfExprSyntax.self), !isTooLong {
        node = next
      } else if let block = node.elseBody?.as(CodeBlockSyntax.self) {
        let end = run(block.statements, others)
        // What it does instead may be enough.
        guard !isQuiet, obligation.passesOver(block.statements) else { return result.union(end) }
        let reason = "this `else` does not \(obligation.verb)"
        return result.union(end.skipping(skip(at: block, body: block.statements, reason)))
      } else if isQuiet {
        return result.union(others)
      } else {
        let reason =
          node == top ? "this `if` may not apply" : "no branch of this `if … else if` may apply"
        let skip = Path.Skip(
          position: top.start,
          reason: reason,
          group: node == top ? nil : top.position
        )
        return result.union(others.skipping(skip))
      }
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
    let isBrought = obligation.isBrought(node.subject)
    let items = node.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
    // A callback that passes over several cases without a failure hears of steps.
    let steps = owners.isEmpty ? [] : items.filter { isStep($0) }
    let answering = items.count { obligation.isMentioned(in: $0) }
    let isOverNames = items.contains { !$0.label.all(StringLiteralExprSyntax.self).isEmpty }
    return items.reduce(into: []) { result, item in
      let outer = obligation
      let names = item.label.as(SwitchCaseLabelSyntax.self)
      if let names { obligation.bind(names, to: node.subject) }
      // What does not exist yet, or says that the SDK calls again.
      let isExcused =
        item.attribute != nil || steps.count > 1 && steps.contains(item)
        || names?.identifiers.contains { Words($0).saysState } == true
      let isQuiet = !obligation.isMentioned(in: item.statements)
      let before = exits.count
      let hasFailed = isBrought && names?.identifiers.contains { Words($0).saysFailure } == true
      // By convention, no error comes with a success.
      let hasSucceeded = isBrought && names?.identifiers.contains("success") == true
      let start = paths.excused(isExcused && isQuiet).failed(hasFailed)
        .lacking(hasSucceeded ? "error" : nil)
      let end = run(item.statements, start)
        .union(take([.branch], since: before))
      var skip = skip(at: item, body: item.statements, "this `case` does not \(obligation.verb)")
      skip.group = node.position
      // An unknown name, or all but the cases that matter.
      let isRest =
        names == nil && isOverNames
        || item.isBreak && (names == nil ? answering > 1 : obligation.handler != nil)
      skip.isDebatable = skip.isDebatable || isRest
      result.formUnion(end.skipping(skip))
      obligation = outer
    }
  }

  private func isStep(_ item: SwitchCaseSyntax) -> Bool {
    guard let label = item.label.as(SwitchCaseLabelSyntax.self),
      !obligation.isMentioned(in: item.statements)
    else { return false }
    return !label.identifiers.contains { Words($0).saysFailure }
  }

  mutating func visitDo(_ node: DoStmtSyntax, _ paths: Paths) -> Paths {
    guard !node.catchClauses.isEmpty else { return visit(node.body, paths) }
    let before = exits.count
    var result = visit(node.body, paths)
    let thrown = take([.error], since: before)
    for clause in node.catchClauses {
      let outer = obligation
      obligation.hear(clause)
      let isCancellation = clause.catchItems.identifiers.contains { $0.contains("ancel") }
      let end = run(clause.body.statements, thrown.excused(isCancellation))
      obligation = outer
      let reason = "this `catch` does not \(obligation.verb)"
      var skip = skip(at: clause, body: clause.body.statements, reason)
      skip.isDebatable = skip.isDebatable || obligation.handler != nil && clause.isForSome
      result.formUnion(end.skipping(skip))
    }
    if !node.catchClauses.contains(where: \.catchItems.isEmpty), !thrown.isEmpty {
      _ = exit(.error, thrown.excused(), at: node)
    }
    return result
  }

  private func skip(
    at node: some SyntaxProtocol,
    body: CodeBlockItemListSyntax,
    _ reason: String
  ) -> Path.Skip {
    Path.Skip(
      position: node.start,
      reason: reason,
      isDebatable: obligation.passesOver(body)
    )
  }

  /// How often a loop runs is not known.
  mutating func visitLoop(_ body: CodeBlockSyntax, _ paths: Paths) -> Paths {
    let before = exits.count
    let end = run(body.statements, paths).union(take([.branch, .iteration], since: before))
    return end.union(paths).excused(obligation.isMentioned(in: body))
  }
}

extension CatchClauseSyntax {
  /// The authors chose these errors: `catch Failure.known`, and not `catch let error`.
  fileprivate var isForSome: Bool {
    let text = catchItems.trimmedDescription.filter { !"()".contains($0) }
    return !text.isEmpty && (!text.hasPrefix("let ") || text.contains(" as "))
  }
}

extension SwitchCaseSyntax {
  fileprivate var isBreak: Bool {
    statements.count == 1 && statements.first?.item.is(BreakStmtSyntax.self) == true
  }
}

extension Obligation {
  /// What these statements do instead of calling the handler may be enough.
  func passesOver(_ body: CodeBlockItemListSyntax) -> Bool {
    isForSuccess && body.doesSomething || handler != nil && handlesError(body)
  }

  /// Something else hears of the error.
  private func handlesError(_ body: CodeBlockItemListSyntax) -> Bool {
    body.all(FunctionCallExprSyntax.self).contains { call in
      !call.isLog && !isMentioned(in: call) && call.identifiers.contains { Words($0).saysError }
    }
  }
}

extension CodeBlockItemListSyntax {
  /// More than a note in a log: whoever reads it learns of the failure here.
  fileprivate var doesSomething: Bool {
    let shows = all(SequenceExprSyntax.self).contains { $0.assignment != nil }
    return shows
      || all(FunctionCallExprSyntax.self).contains { !$0.isLog }
  }
}

extension FunctionCallExprSyntax {
  /// A note in a log, or a value.
  var isLog: Bool {
    calledExpression.identifiers.contains { Words($0).saysLog }
      || callee.first?.isUppercase == true
      || ancestors.prefix { !$0.is(CodeBlockItemSyntax.self) }
        .contains { $0.as(FunctionCallExprSyntax.self)?.isLog == true }
  }
}
