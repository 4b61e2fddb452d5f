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
    scope = Scope()
    owners.append(lastOwner)
    obligation.enter(closure)
    let stops: Set = [
      "invalidate", "removeObserver", "removeListener", "unsubscribe", "unregister",
    ]
    let words = Words(name)
    isRepeated =
      isRepeated || words.saysRepeatedly || closure.call == nil && !words.saysOnce
      || !closure.identifiers.isDisjoint(with: stops)
      || !Set(["delegate", "observer", "listener"]).isDisjoint(with: closure.parameterNames)
    var path = Path()
    path.tested = paths.reduce(into: []) { $0.formUnion($1.tested) }
    let end = run(closure.statements, [path])
    return (after, judge(end, at: closure.rightBrace, isTask: closure.isTask))
  }

  /// A closure that runs before the call of it returns is a part of the paths around it.
  mutating func runAtOnce(_ closure: ClosureExprSyntax, _ paths: Paths) -> Paths {
    let outer = (scope.returns, scope.targets, obligation)
    defer { (scope.returns, scope.targets, obligation) = outer }
    obligation.enter(closure)
    (scope.returns, scope.targets) = ([], [])
    let end = run(closure.statements, paths)
    return scope.returns.reduce(into: end) { $0.formUnion($1.paths) }
  }

  /// Records what is wrong with the paths of this scope. Returns whether all of them resume.
  @discardableResult
  mutating func judge(
    _ end: Paths,
    at brace: TokenSyntax,
    isTask: Bool = false,
    judgesEnds: Bool = true
  ) -> Bool {
    if judgesEnds, !isRepeated {
      miss(end, at: brace.start, "this is the end")
      for (paths, position) in scope.returns {
        miss(paths, at: position, "this `return` leaves", isReturn: true)
      }
      if isTask, let (paths, position) = scope.thrown, paths.contains(where: \.isOpen) {
        miss([Path()], at: position, "an error thrown here ends the `Task`")
      }
    }
    let ends = scope.returns.reduce(into: end.union(scope.thrown?.paths ?? [])) {
      $0.formUnion($1.paths)
    }
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
    return ends.allSatisfy { !$0.resumptions.isEmpty && !$0.isExcused }
  }

  private mutating func miss(
    _ paths: Paths,
    at position: AbsolutePosition,
    _ reason: String,
    isReturn: Bool = false
  ) {
    for path in paths where path.isOpen {
      // A `return` is the reason, unless it comes after a call that was skipped.
      let skip = path.skip.flatMap { isReturn && !$0.isOfCall ? nil : $0 }
      let consequence =
        obligation.handler.map { "nothing calls `\($0)` then" }
        ?? "nothing resumes then: the task waits forever"
      let finding = Finding(
        obligation.handler == nil ? .neverResumed : .neverCalled,
        at: skip?.position ?? position,
        "\(skip?.reason ?? reason), and \(consequence)"
      )
      candidates.append((finding, owners))
    }
  }
}
