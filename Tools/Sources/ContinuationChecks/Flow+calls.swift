import SwiftSyntax

extension Flow {
  mutating func visitSequence(_ node: SequenceExprSyntax, _ paths: Paths) -> Paths {
    let (target, value) = node.assignment ?? (nil, Array(node.elements))
    if let target, let closure = value[0].as(ClosureExprSyntax.self) {
      return handOver(closure, to: target.lastName, paths)
    }
    // Which operands run is not followed.
    let isFollowed = value.allSatisfy {
      !$0.is(BinaryOperatorExprSyntax.self) && !$0.is(UnresolvedTernaryExprSyntax.self)
    }
    return isFollowed ? value.reduce(paths) { visit($1, $0) } : own(paths).excused()
  }

  mutating func visitCall(_ call: FunctionCallExprSyntax, _ paths: Paths) -> Paths {
    if call.callee == "assertionFailure" || call.retries && !obligation.isMentioned(in: call) {
      return paths.excused()
    }
    if ["fatalError", "preconditionFailure", "exit", "abort"].contains(call.callee) { return [] }
    if isResumption(call) {
      let paths = call.arguments.reduce(paths) { visit($1.expression, $0) }
      sharing.formUnion(paths.flatMap(\.owners))
      return paths.mapPaths {
        if $0.resumptions.count < 2 { $0.resumptions.append(call.start) }
      }
    }
    let paths = visit(call.calledExpression, paths)
    let closures = call.closures.filter { obligation.isMentioned(in: $0.closure) }
    if closures.count == 1, Words(call.callee).saysAtOnce {
      return runAtOnce(closures[0].closure, paths)
    }
    let values = call.arguments.map(\.expression).filter { !$0.is(ClosureExprSyntax.self) }
    var after = values.reduce(paths) { visit($1, $0) }
    for (label, closure) in closures {
      let words = Words(label ?? "")
      let isNamed = words.saysOnce || words.saysRepeatedly
      after = handOver(closure, to: isNamed ? label ?? "" : call.callee, after)
    }
    return after == paths ? paths : after.union(skipped(call, paths))
  }

  /// The paths around a call that an optional chain leaves out.
  private func skipped(_ call: FunctionCallExprSyntax, _ paths: Paths) -> Paths {
    let optionals = call.calledExpression.chain.optionals
    guard let optional = optionals.last?.text else { return [] }
    // What is assigned, weak or tested before is not nil without a reason.
    let isKnown = optionals.contains { optional in
      obligation.weak.contains(optional.text) || obligation.variables.contains(optional.lastName)
        || paths.flatMap(\.tested).contains { $0.hasPrefix(optional.text + "?") }
    }
    return paths.excused(isKnown)
      .skipping(at: call, "this call is skipped if `\(optional)` is nil")
  }

  private func isResumption(_ call: FunctionCallExprSyntax) -> Bool {
    if obligation.handler != nil { return obligation.isSubject(call.calledExpression) }
    let member = call.calledExpression.as(MemberAccessExprSyntax.self)
    guard let base = member?.base, obligation.isSubject(base) else { return false }
    return member?.declName.baseName.text.hasPrefix("resume") == true
  }

  /// Passes it on, to a closure or to what may resume it elsewhere.
  mutating func own(_ paths: Paths) -> Paths {
    lastOwner += 1
    for path in paths where !path.owners.isEmpty || !path.resumptions.isEmpty {
      sharing.formUnion(path.owners.union([lastOwner]))
    }
    return paths.mapPaths { $0.owners.insert(lastOwner) }
  }

  /// Judges a closure that is passed to a function or stored in a property of that name.
  mutating func handOver(_ closure: ClosureExprSyntax, to name: String, _ paths: Paths) -> Paths {
    let after = own(paths)
    let outer = (obligation, exits, isRepeated, owners)
    defer { (obligation, exits, isRepeated, owners) = outer }
    // In a loop, the last of several closures may resume.
    let isInLoop = closure.ancestors.prefix { $0 != closure.scope }
      .contains { [.forStmt, .whileStmt, .repeatStmt].contains($0.kind) }
    exits = []
    owners.append(lastOwner)
    obligation.enter(closure)
    let stops = ["invalidate", "removeObserver", "removeListener", "PHImageResultIsDegradedKey"]
    let (words, isStored) = (Words(name), closure.call == nil)
    isRepeated =
      isRepeated || isInLoop || words.saysRepeatedly || obligation.isVisitor
      || isStored && (!words.saysOnce || closure.identifiers.contains(name))
      || stops.contains(where: closure.identifiers.contains)
      || !Set(["delegate", "observer", "listener"]).isDisjoint(with: closure.parameterNames)
    let end = run(closure.statements, [Path(tested: Set(paths.flatMap(\.tested)))])
    guard judge(end, at: closure.rightBrace, isTask: closure.isTask) else { return after }
    // What has resumed before resumes again in the closure.
    return after.mapPaths {
      if $0.resumptions.count == 1 { $0.resumptions.append(closure.start) }
    }
  }

  /// A closure that runs before the call of it returns is a part of the paths around it.
  mutating func runAtOnce(_ closure: ClosureExprSyntax, _ paths: Paths) -> Paths {
    let outer = obligation
    defer { obligation = outer }
    obligation.enter(closure)
    let before = exits.count
    let end = run(closure.statements, paths)
    return end.union(take([.end], since: before))
      .union(take([.unknown], since: before).excused())
  }

  /// Records what is wrong with the paths of this scope. Returns whether all of them resume.
  mutating func judge(_ end: Paths, at brace: TokenSyntax, isTask: Bool = false) -> Bool {
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
