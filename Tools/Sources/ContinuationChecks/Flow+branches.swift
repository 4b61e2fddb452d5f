import SwiftSyntax

extension Flow {
  mutating func visitGuard(_ node: GuardStmtSyntax, _ paths: Paths) -> Paths {
    let decision = Decision(node.conditions, for: obligation)
    let paths = visit(node.conditions, paths).deciding(by: decision)
    _ = run(node.body.statements, paths.excused(decision.isExcused || decision.isReleased))
    bind(node.conditions)
    return paths
  }

  mutating func visitIf(
    _ node: IfExprSyntax,
    _ paths: Paths,
    isElseIf: Bool = false,
    top: IfExprSyntax? = nil
  ) -> Paths {
    let outer = obligation
    let decision = Decision(node.conditions, for: obligation)
    let paths = visit(node.conditions, paths).deciding(by: decision)
    bind(node.conditions)
    let isQuiet = !obligation.isMentioned(in: node.body)
    var result = run(node.body.statements, paths.excused(decision.isExcused))
    obligation = outer
    let others = paths.excused(decision.isExcused && !isQuiet || decision.isReleased)
    switch node.elseBody {
    case .ifExpr(let next):
      result.formUnion(visitIf(next, others, isElseIf: true, top: top ?? node))
    case .codeBlock(let block): result.formUnion(run(block.statements, others))
    case nil:
      let reason =
        isElseIf ? "no branch of this `if … else if` may apply" : "this `if` may not apply"
      result.formUnion(isQuiet ? others : others.skipping(at: top ?? node, reason))
    }
    return result
  }

  mutating func visit(_ conditions: ConditionElementListSyntax, _ paths: Paths) -> Paths {
    conditions.compactMap(\.value).reduce(paths) { visitTest($1, $0) }
  }

  /// Whether there is a completion handler is not a use of it.
  private mutating func visitTest(_ value: ExprSyntax, _ paths: Paths) -> Paths {
    if obligation.isSubject(value) { return paths }
    guard let sequence = value.as(SequenceExprSyntax.self) else { return visit(value, paths) }
    return sequence.elements.reduce(paths) { obligation.isSubject($1) ? $0 : visit($1, $0) }
  }

  mutating func bind(_ conditions: ConditionElementListSyntax) {
    for case let (pattern, value)? in conditions.map(\.pattern) {
      // `if let completion` is the same completion handler.
      if let value { obligation.bind(pattern, to: value) }
    }
  }

  mutating func visitVariables(_ node: VariableDeclSyntax, _ paths: Paths) -> Paths {
    node.bindings.reduce(paths) { paths, binding in
      guard let value = binding.initializer?.value else { return paths }
      let isAlias =
        obligation.isSubject(value) || obligation.isHelper(value)
        || value.is(ClosureExprSyntax.self)
      var after = isAlias ? paths : visit(value, paths)
      if after != paths, !value.chain.optionals.isEmpty {
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
    let isEvent = node.subject.name.map { Words($0).saysRepeatedly } == true
    var (result, carried): (Paths, Paths) = ([], [])
    for item in node.cases.compactMap({ $0.as(SwitchCaseSyntax.self) }) {
      let outer = obligation
      defer { obligation = outer }
      let names = item.label.as(SwitchCaseLabelSyntax.self)
      if let names { obligation.shadow(names) }
      // What does not exist yet, or says that the SDK calls again.
      let isExcused =
        item.attribute != nil
        || names?.identifiers.map(Words.init).contains { $0.saysUnfinished || $0.saysAnswered }
          ?? isEvent
      let isQuiet = !obligation.isMentioned(in: item.statements)
      scope.targets.append(.init(label: label(of: node), isLoop: false))
      let end = run(item.statements, paths.excused(isExcused && isQuiet).union(carried))
      let target = scope.targets.removeLast()
      carried = target.falls
      result.formUnion(end.union(target.breaks).skipping(at: item, "this `case` does not resume"))
    }
    return result
  }

  mutating func visitDo(_ node: DoStmtSyntax, _ paths: Paths) -> Paths {
    guard !node.catchClauses.isEmpty else { return visit(node.body, paths) }
    scope.catches.append([])
    var result = visit(node.body, paths)
    let thrown = scope.catches.removeLast()
    for clause in node.catchClauses {
      let outer = obligation
      obligation.shadow(clause.catchItems)
      let isCancellation = clause.catchItems.identifiers.contains { $0.contains("ancel") }
      // From here on, a path that has resumed is one of its own.
      let caught = thrown.excused(isCancellation).mapPaths {
        if $0.resumptions.count == 1 { $0.resumptions = [clause.start] }
      }
      let end = run(clause.body.statements, caught)
      obligation = outer
      result.formUnion(end.skipping(at: clause, "this `catch` does not resume"))
    }
    if !node.catchClauses.contains(where: \.catchItems.isEmpty), !thrown.isEmpty {
      leave(thrown.excused(), at: node.start)
    }
    return result
  }

  mutating func loop(
    _ node: some SyntaxProtocol,
    _ body: CodeBlockSyntax,
    _ paths: Paths,
    isEndless: Bool = false,
    isExcused: Bool,
    enter: (inout Flow, Paths) -> Paths
  ) -> Paths {
    guard !isIrrelevant(node) else { return paths }
    guard loopDepth < 6 else { return own(paths).excused() }
    let outer = obligation
    loopDepth += 1
    defer { (obligation, loopDepth) = (outer, loopDepth - 1) }
    let tested = paths.reduce(into: Set()) { $0.formUnion($1.tested) }
    scope.targets.append(.init(label: label(of: node), isLoop: true))
    var (begin, end) = (paths, Paths())
    // A loop that goes on after it has resumed counts, or looks for the last element.
    var trial = self
    let goesOn = trial.run(body.statements, [Path()]).contains { !$0.isOpen && !$0.isExcused }
    // Two resumptions are as many as a path counts.
    for iteration in 0...3 {
      begin = enter(&self, begin)
      // Whether there is anything to iterate over is unknown.
      let ends = !isEndless && (iteration > 0 || !node.is(RepeatStmtSyntax.self))
      if ends { end.formUnion(begin.excused(iteration == 0)) }
      begin = run(body.statements, begin).union(scope.targets.last?.continues ?? []).limited
      begin = begin.mapPaths { $0.tested = tested }
    }
    let breaks = scope.targets.removeLast().breaks
    if goesOn { end = end.mapPaths { if $0.isOpen { $0.isExcused = true } } }
    return end.excused(isExcused).skipping(at: node, "this loop may end").union(breaks)
  }

  private func label(of node: some SyntaxProtocol) -> String? {
    let statement = node.parent?.is(ExpressionStmtSyntax.self) == true ? node.parent : Syntax(node)
    return statement?.parent?.as(LabeledStmtSyntax.self)?.label.text
  }
}
