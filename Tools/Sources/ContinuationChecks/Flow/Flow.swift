import SwiftSyntax

/// Follows every path through a function or a closure that has to resume something.
struct Flow {
  var obligation: Obligation
  /// Where paths have left the statements around this place.
  var exits: [Departure] = []
  /// The closures around this place, each of which may resume.
  var owners: [Int] = []
  var lastOwner = 0
  /// Several of these may resume after one path: that one of them does not proves nothing.
  var sharing: Set<Int> = []
  /// The closure may be called again, so a call that does nothing proves nothing.
  var isRepeated = false
  var candidates: [Candidate] = []
  /// There are more paths than are worth the time.
  private(set) var isTooLong = false

  static let maximumPaths = 256

  /// The last: where a label or a `fallthrough` leads to, or what a value means, is not known.
  enum Exit { case end, error, iteration, branch, unknown }

  struct Departure {
    let kind: Exit
    let paths: Paths
    let node: Syntax
  }

  struct Candidate {
    let finding: Finding
    let owners: [Int]
    var group: AbsolutePosition?
  }

  /// What is wrong with the paths of a function or a closure.
  static func findings(
    _ obligation: Obligation,
    _ items: CodeBlockItemListSyntax,
    end brace: TokenSyntax,
    _ start: Path = Path()
  ) -> [Finding] {
    var flow = Flow(obligation: obligation)
    let end = flow.run(items, [start])
    if flow.isTooLong {
      obligation.file.unfollowed.append(items.start)
      return []
    }
    _ = flow.judge(end, at: brace)
    var proved = flow.candidates.filter { flow.sharing.isDisjoint(with: $0.owners) }
    // What is certain counts more than what is debatable.
    let certain = Set(proved.filter { !$0.finding.kind.isDebatable }.map(\.finding.position))
    proved.removeAll { $0.finding.kind.isDebatable && certain.contains($0.finding.position) }
    let alone = proved.filter { $0.group == nil }.map(\.finding)
    // The first of a `switch`, or of a chain of `else if`, speaks for all of its branches.
    return Dictionary(grouping: proved.filter { $0.group != nil }, by: \.group).values
      .reduce(into: alone) { findings, group in
        let places = Set(group.map(\.finding.position)).count
        let certain = group.map(\.finding).filter { !$0.kind.isDebatable }
        let candidates = certain.isEmpty ? group.map(\.finding) : certain
        // Of a branch and the absence of one, the branch says more.
        let earliest = candidates.min {
          ($0.position, $0.message.hasPrefix("no ") ? 1 : 0)
            < ($1.position, $1.message.hasPrefix("no ") ? 1 : 0)
        }
        guard var first = earliest else { return }
        if places > 1 {
          first.message = first.message
            .replacing("this `case` does", with: "this `case` and \(places - 1) more do")
            .replacing("this branch does", with: "this branch and \(places - 1) more do")
        }
        findings.append(first)
      }
  }

  init(obligation: Obligation) { self.obligation = obligation }

  mutating func exit(_ kind: Exit, _ paths: Paths, at node: some SyntaxProtocol) -> Paths {
    let paths = paths.failed(kind == .error)
    exits.append(Departure(kind: kind, paths: paths, node: Syntax(node)))
    return []
  }

  /// The paths that have left in these ways since there were so many exits.
  mutating func take(_ kinds: [Exit], since count: Int) -> Paths {
    let new = exits[count...]
    exits = exits[..<count] + new.filter { !kinds.contains($0.kind) }
    return Paths(new.filter { kinds.contains($0.kind) }.flatMap(\.paths))
  }

  mutating func run(_ items: CodeBlockItemListSyntax, _ paths: Paths) -> Paths {
    let outer = obligation
    defer { obligation = outer }
    obligation.addFunctions(of: items)
    var paths = paths
    for item in items where !paths.isEmpty { paths = visit(item.item, paths) }
    return paths
  }

  /// Nothing in the node matters.
  func isIrrelevant(_ node: some SyntaxProtocol) -> Bool {
    !obligation.isMentioned(in: node) && !obligation.file.mayAnswerElsewhere(in: node)
      && !obligation.file.leaves(in: node)
      && !obligation.file.mentions(obligation.file.endless, in: node)
  }

  mutating func limit(_ paths: Paths) {
    if max(paths.count, exits.count) > Self.maximumPaths { isTooLong = true }
  }

  mutating func visit(_ node: some SyntaxProtocol, _ paths: Paths) -> Paths {
    limit(paths)
    if isTooLong { return [] }
    if isIrrelevant(node), !node.is(VariableDeclSyntax.self) { return paths }
    switch Syntax(node).as(SyntaxEnum.self) {
    case .returnStmt(let node):
      let after = node.expression.map { visit($0, paths) } ?? paths
      let isKnown = node.expression.map { obligation.isMentioned(in: $0) } ?? true
      return exit(isKnown ? .end : .unknown, after, at: node)
    case .throwStmt(let node): return exit(.error, visit(node.expression, paths), at: node)
    case .breakStmt(let node): return exit(node.label == nil ? .branch : .unknown, paths, at: node)
    case .continueStmt(let node):
      return exit(node.label == nil ? .iteration : .unknown, paths, at: node)
    case .fallThroughStmt(let node): return exit(.unknown, paths, at: node)
    case .codeBlock(let node): return run(node.statements, paths)
    case .guardStmt(let node): return visitGuard(node, paths)
    case .ifExpr(let node): return visitIf(node, paths)
    case .switchExpr(let node): return visitSwitch(node, paths)
    case .doStmt(let node): return visitDo(node, paths)
    case .forStmt(let node):
      let paths = visit(node.sequence, paths)
      if node.tryKeyword != nil { _ = exit(.error, paths, at: node) }
      return visitLoop(node.body, paths)
    case .whileStmt(let node): return visitLoop(node.body, paths)
    case .repeatStmt(let node): return visitLoop(node.body, paths)
    // Other platforms have other paths.
    case .ifConfigDecl: return own(paths).excused()
    case .variableDecl(let node): return visitVariables(node, paths)
    case .tryExpr(let node): return visitTry(node, paths)
    case .sequenceExpr(let node): return visitSequence(node, paths)
    case .functionCallExpr(let node): return visitCall(node, paths)
    case .closureExpr(let node):
      return obligation.isMentioned(in: node) ? handOver(node, to: "", paths) : paths
    case .memberAccessExpr(let node): return node.base.map { visit($0, paths) } ?? paths
    case .declReferenceExpr(let node): return obligation.isMentioned(in: node) ? own(paths) : paths
    // A call of it passes on what it mentions.
    case .functionDecl: return paths
    case .classDecl, .structDecl, .enumDecl, .actorDecl:
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
    let isTaken = isMentioned && node.expression.is(AwaitExprSyntax.self)
    let failed = (isTaken ? after : paths).mapPaths { $0.answer = nil }
      .unlikely(call?.alwaysSucceeds == true)
    if mark == nil { _ = exit(.error, failed, at: node) }
    guard mark != nil, isMentioned else { return after }
    // In a condition, the branches tell the error from the rest.
    let isTested = node.ancestors.prefix { !$0.is(CodeBlockItemSyntax.self) }
      .contains { $0.is(ConditionElementSyntax.self) }
    if isTested { return after.union(failed.excused()) }
    let skip = Path.Skip(position: node.start, reason: "`try?` swallows an error here")
    return after.union(failed.failed().skipping(skip))
  }
}
