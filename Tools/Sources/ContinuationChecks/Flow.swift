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
  var candidates: [(finding: Finding, owners: [Int])] = []

  /// What is wrong with the paths of a function or a closure.
  static func findings(
    _ obligation: Obligation,
    _ items: CodeBlockItemListSyntax,
    end brace: TokenSyntax,
    isExcused: Bool = false
  ) -> [Finding] {
    var flow = Flow(obligation: obligation)
    let end = flow.run(items, [Path(isExcused: isExcused)])
    flow.judge(end, at: brace)
    return flow.candidates.filter { flow.sharing.isDisjoint(with: $0.owners) }.map(\.finding)
  }

  /// What one function or closure knows of its ends.
  struct Scope {
    /// Where paths return, and where they end with an error.
    var ends: [(paths: Paths, position: AbsolutePosition, isError: Bool)] = []
    /// The paths that leave the loops and `switch`es around this place.
    var targets: [(isLoop: Bool, exits: Paths)] = []
    /// What is thrown, of each `do` around this place.
    var catches: [Paths] = []
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
      && !node.tokens(viewMode: .sourceAccurate).contains { Self.leaving.contains($0.text) }
  }

  private static let leaving: Set = [
    "return", "break", "continue", "throw", "try", "fatalError", "preconditionFailure",
    "assertionFailure", "exit", "abort",
  ]

  mutating func visit(_ node: some SyntaxProtocol, _ paths: Paths) -> Paths {
    if isIrrelevant(node), !node.is(VariableDeclSyntax.self) { return paths }
    switch Syntax(node).as(SyntaxEnum.self) {
    case .returnStmt(let node):
      let after = node.expression.map { visit($0, paths) } ?? paths
      // A value says more than we know.
      let isKnown = node.expression.map { obligation.isMentioned(in: $0) } ?? true
      scope.ends.append((after.excused(!isKnown), node.start, false))
      return []
    case .throwStmt(let node):
      leave(visit(node.expression, paths), at: node.start)
      return []
    case .breakStmt(let node): return jump(from: node, node.label, isLoop: false, paths)
    case .continueStmt(let node): return jump(from: node, node.label, isLoop: true, paths)
    case .fallThroughStmt(let node):
      return jump(from: node, node.fallthroughKeyword, isLoop: false, paths)
    case .codeBlock(let node): return run(node.statements, paths)
    case .guardStmt(let node): return visitGuard(node, paths)
    case .ifExpr(let node): return visitIf(node, paths)
    case .switchExpr(let node): return visitSwitch(node, paths)
    case .doStmt(let node): return visitDo(node, paths)
    case .forStmt(let node):
      let paths = visit(node.sequence, paths)
      if node.tryKeyword != nil { leave(paths, at: node.start) }
      return visitLoop(node, node.body, paths, isFinite: node.awaitKeyword == nil)
    case .whileStmt(let node): return visitLoop(node, node.body, paths)
    case .repeatStmt(let node): return visitLoop(node, node.body, paths)
    // Other platforms have other paths.
    case .ifConfigDecl: return own(paths).excused()
    case .variableDecl(let node): return visitVariables(node, paths)
    case .tryExpr(let node): return visitTry(node, paths)
    case .sequenceExpr(let node): return visitSequence(node, paths)
    case .functionCallExpr(let node): return visitCall(node, paths)
    case .closureExpr(let node):
      return obligation.isMentioned(in: node) ? handOver(node, to: "", paths).after : paths
    case .memberAccessExpr(let node): return node.base.map { visit($0, paths) } ?? paths
    case .declReferenceExpr(let node):
      return obligation.isSubject(node) ? own(paths) : paths
    case .functionDecl, .classDecl, .structDecl, .enumDecl, .actorDecl:
      return obligation.isMentioned(in: node) ? own(paths) : paths
    default:
      return node.children(viewMode: .sourceAccurate).reduce(paths) { visit($1, $0) }
    }
  }

  private mutating func visitTry(_ node: TryExprSyntax, _ paths: Paths) -> Paths {
    let after = visit(node.expression, paths)
    let mark = node.questionOrExclamationMark?.tokenKind
    let call = node.expression.unwrapped.as(FunctionCallExprSyntax.self)
    // Only a cancellation ends a sleep.
    if mark == .exclamationMark || call?.callee == "sleep" { return after }
    // What is awaited has taken its closure before it fails.
    let isMentioned = obligation.isMentioned(in: node)
    let failed = isMentioned && node.expression.is(AwaitExprSyntax.self) ? after : paths
    if mark == nil { leave(failed, at: node.start) }
    guard mark != nil, isMentioned else { return after }
    return after.union(failed.skipping(at: node, "`try?` swallows an error here"))
  }

  /// Where a label or a `fallthrough` leads to is not followed.
  private mutating func jump(
    from node: some SyntaxProtocol,
    _ label: TokenSyntax?,
    isLoop: Bool,
    _ paths: Paths
  ) -> Paths {
    if label == nil, let target = scope.targets.lastIndex(where: { !isLoop || $0.isLoop }) {
      scope.targets[target].exits.formUnion(paths)
    } else {
      scope.ends.append((paths.excused(), node.start, false))
    }
    return []
  }

  /// By an error.
  mutating func leave(_ paths: Paths, at position: AbsolutePosition) {
    if let last = scope.catches.indices.last {
      scope.catches[last].formUnion(paths)
    } else if let first = scope.ends.firstIndex(where: \.isError) {
      scope.ends[first].paths.formUnion(paths)
    } else {
      scope.ends.append((paths, position, true))
    }
  }
}
