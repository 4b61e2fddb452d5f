import SwiftSyntax

extension Flow {
  mutating func visitSequence(_ node: SequenceExprSyntax, _ paths: Paths) -> Paths {
    let (target, value) = node.assignment ?? (nil, Array(node.elements))
    if let target, let closure = value[0].as(ClosureExprSyntax.self) {
      return handOver(closure, to: target.lastName, paths).after
    }
    // Which operands run is not followed.
    let isFollowed = value.allSatisfy {
      !$0.is(BinaryOperatorExprSyntax.self) && !$0.is(UnresolvedTernaryExprSyntax.self)
    }
    return isFollowed ? value.reduce(paths) { visit($1, $0) } : own(paths).excused()
  }

  mutating func visitCall(_ call: FunctionCallExprSyntax, _ paths: Paths) -> Paths {
    if call.callee == "assertionFailure" { return paths.excused() }
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
    var after = call.arguments.reduce(paths) { paths, argument in
      argument.expression.is(ClosureExprSyntax.self)
        ? paths : visit(argument.expression, paths)
    }
    let isPassed = after != paths
    guard !closures.isEmpty || isPassed else { return paths }
    var isCertain = !isPassed
    for (label, closure) in closures {
      let words = Words(label ?? "")
      let isNamed = words.saysOnce || words.saysRepeatedly
      let result = handOver(closure, to: isNamed ? label ?? "" : call.callee, after)
      (after, isCertain) = (result.after, isCertain && result.isCertain)
    }
    if isCertain {
      // What has resumed before resumes again in the closure.
      after = after.mapPaths {
        if $0.resumptions.count == 1 { $0.resumptions.append(call.start) }
      }
    }
    return after.union(skipped(call, paths))
  }

  /// The paths around a call that an optional chain leaves out.
  private func skipped(_ call: FunctionCallExprSyntax, _ paths: Paths) -> Paths {
    let optionals = call.calledExpression.chain.optionals.map(\.text)
    guard let optional = optionals.last else { return [] }
    // What is assigned, weak or tested before is not nil without a reason.
    let isKnown = optionals.contains { optional in
      obligation.weak.contains(optional) || obligation.variables.contains(optional)
        || paths.flatMap(\.tested).contains { $0.hasPrefix(optional + "?") }
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
}
