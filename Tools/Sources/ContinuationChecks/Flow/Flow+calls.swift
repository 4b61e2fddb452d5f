import SwiftSyntax

extension Flow {
  mutating func visitSequence(_ node: SequenceExprSyntax, _ paths: Paths) -> Paths {
    let assignment = node.assignment
    if let assignment, let closure = assignment.value[0].as(ClosureExprSyntax.self) {
      return handOver(closure, to: assignment.target.lastName, paths)
    }
    let value = assignment?.value ?? Array(node.elements)
    // Which operands run is not followed.
    let isFollowed = value.allSatisfy {
      !$0.is(BinaryOperatorExprSyntax.self) && !$0.is(UnresolvedTernaryExprSyntax.self)
    }
    return isFollowed ? value.reduce(paths) { visit($1, $0) } : own(paths).excused()
  }

  mutating func visitCall(_ call: FunctionCallExprSyntax, _ paths: Paths) -> Paths {
    switch Endings.effect(of: call, in: obligation.file) {
    case .endless: return []
    case .excused: return paths.excused()
    case .none: break
    }
    if obligation.file.mayAnswerElsewhere(in: call), !obligation.isMentioned(in: call) {
      return paths.excused()
    }
    if isResumption(call) {
      let paths = call.arguments.reduce(paths) { visit($1.expression, $0) }
      sharing.formUnion(paths.flatMap(\.owners))
      for path in paths where path.resumptions.isEmpty && !path.isExcused {
        if let answer = path.answer { resumesAnyway(after: answer, at: call) }
      }
      return paths.mapPaths {
        if $0.resumptions.count < 2 { $0.resumptions.append(call.start) }
      }
    }
    let paths = visit(call.calledExpression, paths)
    let closures = call.closures.filter { obligation.isMentioned(in: $0.closure) }
    if closures.count == 1, Words(call.callee).saysAtOnce {
      return runAtOnce(closures[0].closure, paths)
    }
    if closures.count == 1, let error = call.errorPointer {
      let reason = "this call may fail before it calls its closure"
      let skip = Path.Skip(position: call.start, reason: reason, isCall: true)
      obligation.assign(error)
      return runAtOnce(closures[0].closure, paths).union(paths.failed().skipping(skip))
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
    // `self` lives while its method waits: only what comes after it counts.
    let all = call.calledExpression.chain.optionals
    let optionals = all.filter {
      !obligation.weak.contains($0.text) && !obligation.file.alwaysSet.contains($0.text)
    }
    guard let first = all.first?.text else { return [] }
    let tested = Set(paths.flatMap(\.tested))
    // What is assigned, weak or tested before is not nil without a reason; nor is a method that
    // the object says it has.
    let isKnown =
      optionals.isEmpty || tested.contains { $0.contains("responds(") }
      || optionals.contains { optional in
        obligation.variables.contains(optional.lastName)
          || tested.contains {
            let text = optional.text
            // `user != nil && …`, and `user!` before.
            return $0 == text || $0.hasPrefix(text + "?") || $0.hasPrefix(text + "!")
          }
      }
    let optional = optionals.first?.text ?? first
    return paths.excused(isKnown).skipping(
      Path.Skip(
        position: call.start,
        reason: "this call is skipped if `\(optional)` is nil",
        isCall: true,
        // Most are set as long as a call may come, and without them, no caller needs its answer.
        // What was just made is optional because nobody has said otherwise in Objective-C.
        isDebatable: obligation.handler != nil || call.isMadeHere(optional)
      )
    )
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
    exits = []
    owners.append(lastOwner)
    obligation.enter(closure)
    // A login that is only ever answered with `true` brings no failure first.
    obligation.hear(closure, butFirst: obligation.file.succeeding.contains(name))
    isRepeated = isRepeated || mayRunAgain(closure, as: name)
    let end = run(closure.statements, [Path(tested: Set(paths.flatMap(\.tested)))])
    guard judge(end, at: closure.rightBrace, isTask: closure.isTask) else { return after }
    // What has resumed before resumes again in the closure.
    return after.mapPaths {
      $0.answer = closure.start
      if $0.resumptions.count == 1 { $0.resumptions.append(closure.start) }
    }
  }

  private mutating func resumesAnyway(
    after answer: AbsolutePosition,
    at call: FunctionCallExprSyntax
  ) {
    let message =
      (obligation.handler.map { "if this closure calls `\($0)`, line # calls it" }
        ?? "if this closure resumes the continuation, line # resumes it") + " a second time"
    let depends = obligation.depends(on: .use)
    let finding = Finding(.resumedTwice, at: answer, message, second: call.start, if: depends)
    candidates.append(Candidate(finding: finding, owners: []))
  }

  private func mayRunAgain(_ closure: ClosureExprSyntax, as name: String) -> Bool {
    // In a loop, the last of several closures may resume.
    let isInLoop = closure.ancestors.prefix { $0 != closure.scope }
      .contains { [.forStmt, .whileStmt, .repeatStmt].contains($0.kind) }
    let (words, isStored) = (Words(name), closure.call == nil)
    return isInLoop || words.saysRepeatedly || obligation.isVisitor
      || isStored
        && (!words.saysOnce || obligation.file.mentions([name], in: closure.statements))
      || obligation.file.mentions(Words.ends, in: closure)
      || closure.parameterNames.contains { Words($0).saysPart }
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
    if isTooLong { return false }
    let errors = exits.filter { $0.kind == .error && isTask && $0.paths.contains(where: \.isOpen) }
    if !isRepeated {
      miss(end, Path.Skip(position: brace.start, reason: "this is the end"))
      for exit in exits.filter({ $0.kind == .end }) + errors.prefix(1) {
        let block = exit.node.ancestors.first { $0.is(CodeBlockItemListSyntax.self) }?
          .as(CodeBlockItemListSyntax.self)
        let reason =
          exit.kind == .end ? "this `return` leaves" : "an error thrown here ends the `Task`"
        let leaves = Path.Skip(
          position: exit.node.start,
          reason: reason,
          isDebatable: exit.kind == .end && block.map { obligation.passesOver($0) } == true
        )
        miss(exit.paths.mapPaths { if $0.skip?.isCall != true { $0.skip = nil } }, leaves)
      }
    }
    let ends = end.union(exits.flatMap(\.paths))
    // Twice for certain: however a path goes on after it has resumed first, it resumes again.
    for (first, paths) in Dictionary(grouping: ends, by: \.resumptions.first)
    where paths.allSatisfy({ $0.resumptions.count == 2 }) {
      let proved = paths.filter { !$0.isExcused }
      let again = proved.map { $0.resumptions[1] }.min()
      guard let first, let again else { continue }
      let message =
        obligation.handler.map { "a path that calls `\($0)` here calls it again in line #" }
        ?? "a path that resumes the continuation here resumes it again in line #, which crashes"
      let isDebatable = obligation.handler != nil && proved.allSatisfy(\.isUnlikely)
      let kind: Kind = isDebatable ? .maybeResumedTwice : .resumedTwice
      let depends = obligation.depends(on: .use)
      let finding = Finding(kind, at: first, message, second: again, if: depends)
      candidates.append(Candidate(finding: finding, owners: []))
    }
    return !isRepeated && ends.allSatisfy { !$0.resumptions.isEmpty && !$0.isExcused }
  }

  private mutating func miss(_ paths: Paths, _ end: Path.Skip) {
    for path in paths where path.isOpen {
      let skip = path.skip ?? end
      let isDebatable =
        skip.isDebatable || obligation.isForFailure || obligation.isOptional || path.hasNothing
        || obligation.handler != nil && path.isUnlikely || obligation.isForEvent
        || obligation.file.isTest || obligation.handler != nil && !path.hasFailed
      let kind: Kind =
        obligation.handler == nil
        ? (isDebatable ? .maybeNeverResumed : .neverResumed)
        : (isDebatable ? .maybeNeverCalled : .neverCalled)
      let message = "\(skip.reason), and \(obligation.consequence)"
      let finding = Finding(kind, at: skip.position, message, if: obligation.depends(on: .answer))
      candidates.append(Candidate(finding: finding, owners: owners, group: skip.group))
    }
  }
}

extension FunctionCallExprSyntax {
  /// The name is of something that the function around this has made.
  fileprivate func isMadeHere(_ name: String) -> Bool {
    let function = ancestors.first(where: \.isFunction)
    let constants = function?.all(IdentifierPatternSyntax.self).filter {
      $0.identifier.text == name
    }
    return constants?.contains { constant in
      let value =
        constant.parent?.as(PatternBindingSyntax.self)?.initializer?.value
        ?? constant.parent?.as(OptionalBindingConditionSyntax.self)?.initializer?.value
      return value?.unwrapped.is(FunctionCallExprSyntax.self) == true
        || value?.unwrapped.is(SubscriptCallExprSyntax.self) == true
    } == true
  }

  /// The variable that tells why the closure was not called: `reason` of Cocoa's
  /// `coordinate(readingItemAt: url, error: &reason) { … }`.
  fileprivate var errorPointer: String? {
    let value = arguments.first { $0.label?.text == "error" }?.expression
    return value?.as(InOutExprSyntax.self)?.expression.name
  }
}
