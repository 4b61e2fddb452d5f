import SwiftSyntax

extension Flow {
  /// Judges a closure that is passed to a function or stored in a property of that name. It is
  /// certain if every path through it resumes.
  mutating func handOver(
    _ closure: ClosureExprSyntax,
    to name: String,
    _ paths: Paths
  ) -> (after: Paths, isCertain: Bool) {
    let after = own(paths)
    let outer = (obligation, exits, isRepeated, owners)
    defer { (obligation, exits, isRepeated, owners) = outer }
    // In a loop, the last of several closures may resume.
    let isInLoop = closure.ancestors.prefix { $0 != closure.scope }
      .contains { [.forStmt, .whileStmt, .repeatStmt].contains($0.kind) }
    exits = []
    owners.append(lastOwner)
    obligation.enter(closure)
    let stops: Set = ["invalidate", "removeObserver", "removeListener", "unsubscribe"]
    let words = Words(name)
    isRepeated =
      isRepeated || isInLoop || words.saysRepeatedly || closure.call == nil && !words.saysOnce
      || !closure.identifiers.isDisjoint(with: stops)
      || !Set(["delegate", "observer", "listener"]).isDisjoint(with: closure.parameterNames)
    let end = run(closure.statements, [Path(tested: Set(paths.flatMap(\.tested)))])
    return (after, judge(end, at: closure.rightBrace, exits, isTask: closure.isTask))
  }

  /// A closure that runs before the call of it returns is a part of the paths around it.
  mutating func runAtOnce(_ closure: ClosureExprSyntax, _ paths: Paths) -> Paths {
    let outer = obligation
    defer { obligation = outer }
    obligation.enter(closure)
    let before = exits.count
    let end = run(closure.statements, paths)
    return end.union(take([.end], since: before))
  }

  /// Records what is wrong with the paths of this scope. Returns whether all of them resume.
  @discardableResult
  mutating func judge(
    _ end: Paths,
    at brace: TokenSyntax,
    _ exits: [Exit],
    isTask: Bool = false
  ) -> Bool {
    let errors = exits.filter { $0.kind == .error && isTask && $0.paths.contains(where: \.isOpen) }
    if !isRepeated {
      miss(end, at: brace.start, "this is the end")
      for exit in exits.filter({ $0.kind == .end }) + errors.prefix(1) {
        let reason =
          exit.kind == .end ? "this `return` leaves" : "an error thrown here ends the `Task`"
        miss(exit.paths.mapPaths { $0.skip = nil }, at: exit.position, reason)
      }
    }
    let ends = end.union(exits.flatMap(\.paths))
    // Twice for certain: however a path goes on after it has resumed first, it resumes again.
    for (_, paths) in Dictionary(grouping: ends, by: \.resumptions.first)
    where paths.allSatisfy({ $0.resumptions.count == 2 }) {
      let message =
        obligation.handler.map { "a path that has called `\($0)` calls it again here" }
        ?? "a path that has resumed the continuation resumes it again here, which crashes"
      for path in paths where !path.isExcused {
        candidates.append((Finding(.resumedTwice, at: path.resumptions[1], message), []))
      }
    }
    return !isRepeated && ends.allSatisfy { !$0.resumptions.isEmpty && !$0.isExcused }
  }

  private mutating func miss(_ paths: Paths, at position: AbsolutePosition, _ reason: String) {
    let consequence =
      obligation.handler.map { "nothing calls `\($0)` then" }
      ?? "nothing resumes then: the task waits forever"
    for path in paths where path.isOpen {
      let finding = Finding(
        obligation.handler == nil ? .neverResumed : .neverCalled,
        at: path.skip?.position ?? position,
        "\(path.skip?.reason ?? reason), and \(consequence)"
      )
      candidates.append((finding, owners))
    }
  }
}
