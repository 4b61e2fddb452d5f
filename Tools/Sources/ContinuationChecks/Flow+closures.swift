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
    let outer = (obligation, scope, isRepeated, owners)
    defer { (obligation, scope, isRepeated, owners) = outer }
    // In a loop, the last of several closures may resume.
    let isInLoop = scope.targets.contains(where: \.isLoop)
    scope = Scope()
    owners.append(lastOwner)
    obligation.enter(closure)
    let stops: Set = [
      "invalidate", "removeObserver", "removeListener", "unsubscribe", "unregister",
    ]
    let words = Words(name)
    isRepeated =
      isRepeated || isInLoop || words.saysRepeatedly || closure.call == nil && !words.saysOnce
      || !closure.identifiers.isDisjoint(with: stops)
      || !Set(["delegate", "observer", "listener"]).isDisjoint(with: closure.parameterNames)
    let end = run(closure.statements, [Path(tested: Set(paths.flatMap(\.tested)))])
    return (after, judge(end, at: closure.rightBrace, isTask: closure.isTask))
  }

  /// A closure that runs before the call of it returns is a part of the paths around it.
  mutating func runAtOnce(_ closure: ClosureExprSyntax, _ paths: Paths) -> Paths {
    let (ends, targets, outer) = (scope.ends, scope.targets, obligation)
    (scope.ends, scope.targets) = ([], [])
    obligation.enter(closure)
    let end = run(closure.statements, paths)
    let after = scope.ends.reduce(end) { $1.isError ? $0 : $0.union($1.paths) }
    scope.ends = ends + scope.ends.filter(\.isError)
    (scope.targets, obligation) = (targets, outer)
    return after
  }

  /// Records what is wrong with the paths of this scope. Returns whether all of them resume.
  @discardableResult
  mutating func judge(_ end: Paths, at brace: TokenSyntax, isTask: Bool = false) -> Bool {
    if !isRepeated {
      miss(end, at: brace.start, "this is the end")
      for (paths, position, isError) in scope.ends where !isError || isTask {
        let reason =
          isError ? "an error thrown here ends the `Task`" : "this `return` leaves"
        miss(paths.mapPaths { $0.skip = nil }, at: position, reason)
      }
    }
    let ends = scope.ends.reduce(end) { $0.union($1.paths) }
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
