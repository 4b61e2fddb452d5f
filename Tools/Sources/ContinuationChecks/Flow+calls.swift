import SwiftSyntax

extension Flow {
  mutating func visitSequence(_ node: SequenceExprSyntax, _ paths: Paths) -> Paths {
    let elements = Array(node.elements)
    if elements.count > 2, elements[1].is(AssignmentExprSyntax.self) {
      let values = elements.dropFirst(2)
      if values.count == 1, let closure = values.first?.as(ClosureExprSyntax.self),
        obligation.isMentioned(in: closure)
      {
        return handOver(closure, to: elements[0].lastName, paths).paths
      }
      if elements[0].is(DiscardAssignmentExprSyntax.self), let value = values.first,
        obligation.isSubject(value)
      {
        return paths
      }
      return visitOperands(values, paths)
    }
    return visitOperands(elements[...], paths)
  }

  private mutating func visitOperands(_ operands: ArraySlice<ExprSyntax>, _ paths: Paths) -> Paths {
    var paths = paths
    for (index, operand) in zip(operands.indices, operands) {
      if let ternary = operand.as(UnresolvedTernaryExprSyntax.self) {
        let other = visitOperands(operands[(index + 1)...], paths)
        return visit(ternary.thenExpression, paths).union(other)
      }
      let name = operand.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
      if ["&&", "||", "??"].contains(name) {
        // What follows runs where the optional was nil, or perhaps.
        let done = name == "??" ? paths.filter { !$0.isOpen } : paths
        return done.union(visitOperands(operands[(index + 1)...], paths))
      }
      paths = visit(operand, paths)
    }
    return paths
  }

  mutating func visitCall(_ call: FunctionCallExprSyntax, _ paths: Paths) -> Paths {
    if Self.neverReturning.contains(call.name) { return [] }
    if call.name == "assertionFailure" { return paths.excused() }
    guard !isIrrelevant(call) else { return paths }
    if let begin = resumption(call) {
      let paths = call.arguments.reduce(paths) { visit($1.expression, $0) }
      return resume(paths, at: begin)
    }
    if obligation.isHelper(call.calledExpression) { return own(paths, by: newOwner()) }

    var paths = visit(call.calledExpression, paths)
    var taken: [(label: String?, closure: ClosureExprSyntax)] = []
    for (label, closure) in call.closures where obligation.isMentioned(in: closure) {
      taken.append((label, closure))
    }
    var isPassed = false
    for argument in call.arguments where !argument.expression.is(ClosureExprSyntax.self) {
      if isResumption(argument.expression) {
        isPassed = true
      } else {
        paths = visit(argument.expression, paths)
      }
    }
    guard !taken.isEmpty || isPassed else { return paths }
    if taken.count == 1, !isPassed, Words(call.name).saysAtOnce {
      return runAtOnce(taken[0].closure, paths)
    }
    var after = isPassed ? own(paths, by: newOwner()) : paths
    if Self.transforming.contains(call.name) {
      return own(after, by: newOwner()).excused()
    }
    var isCertain = !taken.isEmpty
    for (label, closure) in taken {
      let name = label.flatMap { Words($0).saysOnce || Words($0).saysRepeatedly ? $0 : nil }
      let result = handOver(closure, to: name ?? call.name, after)
      after = result.paths
      isCertain = isCertain && result.isCertain
    }
    if isCertain, !isPassed {
      // What has resumed before resumes again in the closure.
      after = after.mapPaths {
        if $0.resumptions.count == 1 { $0.resumptions.append(call.start) }
      }
    }
    let optionals = call.calledExpression.chain.optionals.filter { !obligation.isSubject($0) }
    guard let optional = optionals.last else { return after }
    let isReleased = optionals.contains { obligation.weak.contains($0.trimmedDescription) }
    return after.union(
      paths.excused(isReleased)
        .skipping(at: call, "this call is skipped if `\(optional.trimmedDescription)` is nil")
    )
  }

  /// They call their closure for each value, at once or later.
  private static let transforming: Set = [
    "map", "flatMap", "compactMap", "forEach", "filter", "reduce", "mapError", "first", "contains",
    "sorted", "allSatisfy", "flatMapError", "always", "tryMap", "handleEvents",
  ]

  /// Where the call names what it resumes, if it does.
  private func resumption(_ call: FunctionCallExprSyntax) -> AbsolutePosition? {
    switch obligation.form {
    case .completionHandler:
      return obligation.isSubject(call.calledExpression) ? call.start : nil
    case .continuation:
      guard let member = call.calledExpression.as(MemberAccessExprSyntax.self),
        member.declName.baseName.text.hasPrefix("resume"), let base = member.base,
        obligation.isSubject(base)
      else { return nil }
      return call.start
    }
  }

  /// An argument that is itself able to resume.
  private func isResumption(_ argument: ExprSyntax) -> Bool {
    if obligation.isSubject(argument) || obligation.isHelper(argument) { return true }
    guard let base = argument.as(MemberAccessExprSyntax.self)?.base else { return false }
    return obligation.isSubject(base)
  }

  private mutating func resume(_ paths: Paths, at position: AbsolutePosition) -> Paths {
    for path in paths { sharing.formUnion(path.owners) }
    return paths.mapPaths {
      if $0.resumptions.count < 2 { $0.resumptions.append(position) }
    }
  }

  mutating func newOwner() -> Int {
    lastOwner += 1
    return lastOwner
  }

  mutating func own(_ paths: Paths, by owner: Int) -> Paths {
    for path in paths where !path.owners.isEmpty || !path.resumptions.isEmpty {
      sharing.formUnion(path.owners.union([owner]))
    }
    // One number is enough for all that has been passed on.
    return paths.mapPaths { $0.owners.insert(owner) }
  }
}
