import SwiftSyntax

extension Flow {
  /// Judges a closure that is passed to a function or stored in a property of that name. It is
  /// certain if every path through it resumes.
  mutating func handOver(
    _ closure: ClosureExprSyntax,
    to name: String,
    _ paths: Paths
  ) -> (paths: Paths, isCertain: Bool) {
    let owner = newOwner()
    let after = own(paths, by: owner)
    let outer = (obligation, scope, isRepeated)
    defer { (obligation, scope, isRepeated) = outer }
    (scope, owners) = (Scope(), owners + [owner])
    defer { owners.removeLast() }
    obligation.enter(closure)
    let words = Words(name)
    let isStored = closure.parent?.is(FunctionCallExprSyntax.self) == false && closure.call == nil
    isRepeated =
      isRepeated || words.saysRepeatedly || isStored && !words.saysOnce
      || !closure.identifiers.isDisjoint(with: [
        "invalidate", "removeObserver", "removeListener", "unsubscribe", "unregister",
      ])
    var begin = Path()
    begin.tested = paths.reduce(into: []) { $0.formUnion($1.tested) }
    let end = run(closure.statements, [begin])
    return (after, judge(end, endingAt: closure.rightBrace, isTask: closure.isTask))
  }

  /// A closure that runs before the call of it returns is a part of the paths around it.
  mutating func runAtOnce(_ closure: ClosureExprSyntax, _ paths: Paths) -> Paths {
    let outer = (scope, obligation)
    obligation.enter(closure)
    (scope.returns, scope.targets) = ([], [])
    var end = run(closure.statements, paths)
    for (paths, _) in scope.returns { end.formUnion(paths) }
    (scope.returns, scope.targets, obligation) = (outer.0.returns, outer.0.targets, outer.1)
    return end
  }

  /// Records what is wrong with the paths of this scope. Returns whether all of them resume.
  @discardableResult
  mutating func judge(
    _ end: Paths,
    endingAt brace: TokenSyntax,
    isTask: Bool,
    judgesEnds: Bool = true
  ) -> Bool {
    var ends = end
    for (paths, _) in scope.returns { ends.formUnion(paths) }
    if judgesEnds, !isRepeated {
      for path in end where path.isOpen {
        let reason = path.skip?.reason ?? "this is the end"
        missing(at: path.skip?.position ?? brace.start, reason)
      }
      for (paths, position) in scope.returns where paths.contains(where: \.isOpen) {
        missing(at: position, "this `return` leaves")
      }
      if isTask, let (paths, position) = scope.thrown, paths.contains(where: \.isOpen) {
        missing(at: position, "an error thrown here ends the `Task`")
      }
    }
    ends.formUnion(scope.thrown?.paths ?? [])

    // Twice for certain: however a path goes on after it has resumed first, it resumes again.
    for (_, paths) in Dictionary(grouping: ends, by: \.resumptions.first)
    where paths.allSatisfy({ $0.resumptions.count == 2 }) {
      for path in paths where !path.isExcused {
        candidates.append((Mistake(.resumedTwice, at: path.resumptions[1], obligation.twice), []))
      }
    }
    return ends.allSatisfy { !$0.resumptions.isEmpty && !$0.isExcused }
  }

  private mutating func missing(at position: AbsolutePosition, _ reason: String) {
    let message = "\(reason), and \(obligation.consequence)"
    candidates.append((Mistake(obligation.missing, at: position, message), owners))
  }
}
