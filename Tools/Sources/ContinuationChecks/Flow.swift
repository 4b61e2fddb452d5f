import SwiftSyntax

/// Follows every path through a function or a closure that has to resume something.
struct Flow {
  var obligation: Obligation
  var scope = Scope()
  /// The closures around this place, each of which may resume.
  var owners: [Int] = []
  var lastOwner = 0
  /// Several of these may resume after one path: that one of them does not proves nothing.
  var sharing: Set<Int> = []
  /// The closure may be called again, so a call that does nothing proves nothing.
  var isRepeated = false
  var work = 0
  var loopDepth = 0
  var candidates: [(finding: Finding, owners: [Int])] = []

  /// What is wrong with the paths of a function or a closure.
  static func findings(
    _ obligation: Obligation,
    _ items: CodeBlockItemListSyntax,
    end brace: TokenSyntax,
    judgesEnds: Bool = true
  ) -> [Finding] {
    var flow = Flow(obligation: obligation)
    let end = flow.run(items, [Path()])
    flow.judge(end, at: brace, judgesEnds: judgesEnds)
    return flow.candidates.filter { flow.sharing.isDisjoint(with: $0.owners) }.map(\.finding)
  }

  /// What one function or closure knows of its ends.
  struct Scope {
    var returns: [(paths: Paths, position: AbsolutePosition)] = []
    var targets: [Target] = []
    /// What is thrown, of each `do` around this place.
    var catches: [Paths] = []
    var thrown: (paths: Paths, position: AbsolutePosition)?

    /// A loop or a `switch`.
    struct Target {
      let label: String?
      let isLoop: Bool
      var breaks: Paths = []
      var continues: Paths = []
      var falls: Paths = []
    }
  }

  mutating func run(_ items: CodeBlockItemListSyntax, _ paths: Paths) -> Paths {
    let outer = obligation
    defer { obligation = outer }
    var paths = paths
    for item in items where !paths.isEmpty { paths = visit(item.item, paths).limited }
    return paths
  }

  /// Nothing in the node matters.
  func isIrrelevant(_ node: some SyntaxProtocol) -> Bool {
    !obligation.isMentioned(in: node)
      && !node.tokens(viewMode: .sourceAccurate).contains { token in
        switch token.tokenKind {
        case .keyword(.return), .keyword(.break), .keyword(.continue), .keyword(.throw),
          .keyword(.try):
          true
        case .identifier(let name): Self.neverReturning.contains(name)
        default: false
        }
      }
  }

  static let neverReturning: Set = [
    "fatalError", "preconditionFailure", "assertionFailure", "exit", "abort",
  ]

  mutating func visit(_ node: some SyntaxProtocol, _ paths: Paths) -> Paths {
    switch Syntax(node).as(SyntaxEnum.self) {
    case .token: return paths
    case .returnStmt(let node):
      var paths = node.expression.map { visit($0, paths) } ?? paths
      // A value that says more than we know.
      if let value = node.expression, !obligation.isMentioned(in: value) { paths = paths.excused() }
      scope.returns.append((paths, node.start))
      return []
    case .throwStmt(let node):
      leave(visit(node.expression, paths), at: node.start)
      return []
    case .breakStmt(let node): return jump(node.label, isLoop: false, \.breaks, paths)
    case .continueStmt(let node): return jump(node.label, isLoop: true, \.continues, paths)
    case .fallThroughStmt: return jump(nil, isLoop: false, \.falls, paths)
    case .labeledStmt(let node): return visit(node.statement, paths)
    case .codeBlock(let node): return run(node.statements, paths)
    case .guardStmt(let node): return visitGuard(node, paths)
    case .ifExpr(let node): return isIrrelevant(node) ? paths : visitIf(node, paths)
    case .switchExpr(let node): return isIrrelevant(node) ? paths : visitSwitch(node, paths)
    case .doStmt(let node): return visitDo(node, paths)
    case .forStmt(let node):
      let paths = visit(node.sequence, paths)
      if node.tryKeyword != nil { leave(paths, at: node.start) }
      return loop(node, node.body, paths, isExcused: node.awaitKeyword != nil) { flow, paths in
        flow.obligation.shadow(node.pattern)
        return paths
      }
    case .whileStmt(let node):
      let isEndless = node.conditions.trimmedDescription == "true"
      let isExcused = Decision(node.conditions, for: obligation).isExcused
      return loop(node, node.body, paths, isEndless: isEndless, isExcused: isExcused) {
        let paths = $0.visit(node.conditions, $1)
        $0.bind(node.conditions)
        return paths
      }
    case .repeatStmt(let node):
      let isExcused = Decision(node.condition, for: obligation).isExcused
      let isEndless = node.condition.trimmedDescription == "true"
      return loop(node, node.body, paths, isEndless: isEndless, isExcused: isExcused) {
        $0.visit(node.condition, $1)
      }
    case .variableDecl(let node): return visitVariables(node, paths)
    case .functionDecl(let node):
      if let body = node.body, obligation.isMentioned(in: body) {
        obligation.helpers.insert(node.name.text)
      }
      return paths
    case .ifConfigDecl(let node):
      // Other platforms have other paths.
      let others = node.clauses.contains { $0.condition == nil } ? [] : paths.excused()
      return node.clauses.reduce(into: others) { result, clause in
        guard case .statements(let items)? = clause.elements else { return }
        result.formUnion(run(items, paths))
      }
    case .tryExpr(let node):
      let after = visit(node.expression, paths)
      let mark = node.questionOrExclamationMark?.tokenKind
      // Only a cancellation ends a sleep.
      if mark == .exclamationMark || isSleep(node.expression) { return after }
      // What is awaited has taken its closure before it fails.
      let isMentioned = obligation.isMentioned(in: node)
      let failed = isMentioned && node.expression.is(AwaitExprSyntax.self) ? after : paths
      if mark == nil { leave(failed, at: node.start) }
      guard mark != nil, isMentioned else { return after }
      return after.union(failed.skipping(at: node, "`try?` swallows an error here"))
    case .sequenceExpr(let node): return visitSequence(node, paths)
    case .ternaryExpr(let node):
      let paths = visit(node.condition, paths)
      return visit(node.thenExpression, paths).union(visit(node.elseExpression, paths))
    case .functionCallExpr(let node): return visitCall(node, paths)
    case .closureExpr(let node):
      return obligation.isMentioned(in: node) ? handOver(node, to: "", paths).after : paths
    case .memberAccessExpr(let node): return node.base.map { visit($0, paths) } ?? paths
    case .declReferenceExpr(let node):
      let isUsed = obligation.isSubject(node) || obligation.isHelper(node)
      return isUsed ? own(paths) : paths
    case .classDecl, .structDecl, .enumDecl, .actorDecl:
      return obligation.isMentioned(in: node) ? own(paths) : paths
    default:
      return node.children(viewMode: .sourceAccurate).reduce(paths) { visit($1, $0) }
    }
  }

  private func isSleep(_ expression: ExprSyntax) -> Bool {
    expression.withoutNot.as(FunctionCallExprSyntax.self)?.callee == "sleep"
  }

  private mutating func jump(
    _ label: TokenSyntax?,
    isLoop: Bool,
    _ exit: WritableKeyPath<Scope.Target, Paths>,
    _ paths: Paths
  ) -> Paths {
    let target = scope.targets.lastIndex {
      label == nil ? !isLoop || $0.isLoop : $0.label == label?.text
    }
    if let target { scope.targets[target][keyPath: exit].formUnion(paths) }
    return []
  }

  /// By an error.
  mutating func leave(_ paths: Paths, at position: AbsolutePosition) {
    if let last = scope.catches.indices.last {
      scope.catches[last].formUnion(paths)
    } else {
      let isOpen = scope.thrown?.paths.contains(where: \.isOpen) ?? false
      let before = scope.thrown ?? (paths: [], position: position)
      scope.thrown = (before.paths.union(paths), isOpen ? before.position : position)
    }
  }
}
