internal import CooperativeCancellation

// Several calls of one wrapper: two at the same time, and one after another.

extension WrapperCheck {
  /// One of the calls. It has no request while it waits for its turn.
  private struct Caller {
    let name: String
    let trial: Attempt
    var request: Request?
  }

  func twoCalls() async -> Int? {
    var deliveries = 0
    for encounter in [answerBoth, { await cancel($0, not: $1) }, { await cancel($1, not: $0) }] {
      guard let (trial, request) = await beginTrial() else { return nil }
      let (other, otherRequest) = await callSoon(beside: trial)
      deliveries += await encounter(
        Caller(name: "first", trial: trial, request: request),
        Caller(name: "second", trial: other, request: otherRequest)
      )
      if hasFound(.twoCalls) {
        answerAll(of: trial)
        return nil
      }
    }
    return deliveries
  }

  private func callSoon(beside other: Attempt) async -> (Attempt, Request?) {
    let trial = makeTrial(beside: other)
    trial.start()
    return (trial, await trial.nextCallSoon())
  }

  /// Frees what hangs.
  private func answerAll(of trial: Attempt) {
    trial.fake.whenCalled { [success] in $0.answer(success) }
    for number in 1...trial.fake.callCount { trial.fake[number]?.answer(success) }
  }

  private func answerBoth(_ first: Caller, _ second: Caller) async -> Int {
    if second.request == nil, second.trial.hasEnded {
      let when = "it was called while another call waited"
      await expect(.value, of: second.trial, .twoCalls, when: when)
    } else {
      // The SDK answers the second call first, unless that waits for its turn.
      let (one, other) = second.request == nil ? (first, second) : (second, first)
      if await answer(one, not: other.trial) { await answer(other) }
    }
    return 2
  }

  private func cancel(_ caller: Caller, not other: Caller) async -> Int {
    let waits = caller.request == nil
    if waits, response == .ignoreCancellation { return await answerBoth(other, caller) }
    caller.trial.task.cancel()
    let reaction = reaction(to: .cancelled)
    if let request = caller.request, reaction != .endsAtOnce {
      if reaction == .waits { _ = await caller.trial.isForwarded(to: request) }
      request.answer(success)
    }
    let turn = waits ? " while it waited for its turn" : ""
    let when = "the \(caller.name) of two calls was cancelled\(turn)"
    let isDelivered = deliversLate && !waits
    let end: WrapperEnd = isDelivered ? .value : .cancellation
    // What is wrong with any cancelled call was found before.
    let isKnown = [.prompt, .lateAnswer, .checkAfter].contains(where: hasFound)
    let isWell = isKnown ? true : await expect(end, of: caller.trial, .twoCalls, when: when)
    await other.trial.letRun()
    if let request = other.request, request.cancelCount > 0 {
      find(.twoCalls, "when \(when), the SDK was told to cancel the other one.")
    } else if isWell {
      var next = other
      if next.request == nil { next.request = await other.trial.nextCallSoon() }
      // Until the SDK has answered, it may have no room for the call that waits.
      if next.request == nil { caller.request?.answer(success) }
      await answer(next)
      // Nor must the turn of a call that waited be lost.
      if waits {
        let (third, request) = await callSoon(beside: other.trial)
        await answer(Caller(name: "third", trial: third, request: request))
      }
    }
    return (isDelivered ? 1 : 0) + (waits ? 2 : 1)
  }

  @discardableResult
  private func answer(_ caller: Caller, not other: Attempt? = nil) async -> Bool {
    var request = caller.request
    if request == nil { request = await caller.trial.nextCall() }
    guard let request else {
      if caller.trial.hasEnded {
        let when = "it was called while another call waited"
        return await expect(.value, of: caller.trial, .twoCalls, when: when)
      }
      let text = "the \(caller.name) call did not reach the SDK, even after the others had ended."
      return find(.twoCalls, text)
    }
    request.answer(success)
    await caller.trial.letRun()
    // A call that was cancelled before it reached the SDK may reach it late, in place of this one.
    if other == nil, !caller.trial.hasEnded { caller.trial.fake.nextRecorded()?.answer(success) }
    let when = "the SDK answered the \(caller.name) of two calls"
    guard await expect(.value, of: caller.trial, .twoCalls, when: when) else { return false }
    await other?.letRun()
    guard let other, other.hasEnded else { return true }
    return find(.twoCalls, "when \(when), the other one ended, too.")
  }

  // MARK: One call after another

  func nextCall() async -> Int? {
    let drops = guarantees.contains(.droppedCompletion)
    let ends: [(isPossible: Bool, when: String, end: (Request) -> Void)] = [
      (true, "the SDK answered", { $0.answer(success) }),
      (canFail, "the SDK reported an error", { answer($0, .failure) }),
      (drops, "the SDK released the completion without calling it", { $0.drop() }),
    ]
    var deliveries: [Int?] = []
    for (number, first) in ends.enumerated() where first.isPossible {
      guard let (trial, request) = await beginTrial() else { continue }
      // A wrapper may try again.
      trial.fake.whenCalled { [failure] request in
        if let failure { startOnOwnThread { request.answer(failure) } } else { request.drop() }
      }
      first.end(request)
      if await trial.end() == nil { continue }
      // Until it has unregistered, the next call may share the registration.
      if alwaysUnregisters, await trial.isForwarded(to: request) { await letOthersRun() }
      deliveries.append(number == 0 ? 1 : 0)
      deliveries.append(await callAgain(after: first.when, trial, request, mayBeKept: number == 0))
    }
    for interruption in [Disturbance.cancelled, .timedOut] {
      guard let (trial, request, isWell) = await interrupt(interruption), isWell else { continue }
      deliveries.append(delivers(after: interruption) ? 1 : 0)
      deliveries.append(await callAgain(after: interruption.rawValue, trial, request, interruption))
    }
    return deliveries.sum
  }

  /// Returns how many values were delivered, or `nil` if that is not known.
  private func callAgain(
    after end: String,
    _ trial: Attempt,
    _ first: Request,
    _ interruption: Disturbance? = nil,
    mayBeKept: Bool = false
  ) async -> Int? {
    defer { answerAll(of: trial) }
    let told = max(first.cancelCount, alwaysUnregisters || interruption != nil ? 1 : 0)
    // After an interruption, the SDK's answer to the first call is late, if the wrapper has not
    // waited for it.
    var isLate = interruption.map { reaction(to: $0) == .endsAtOnce } ?? false
    var (next, request) = await callSoon(beside: trial)
    if request == nil, isLate, next.hasEnded, !next.isCancelled {
      // A wrapper may refuse calls until the SDK has answered.
      first.answer(success)
      isLate = false
      await letOthersRun()
      (next, request) = await callSoon(beside: trial)
    }
    let when = "it was called again after \(end)"
    if request == nil, next.hasEnded, !mayBeKept {
      let when = "\(when), and did not call the SDK"
      if await expect(.value, of: next, .nextCall, when: when) { find(.nextCall, "\(when).") }
      return nil
    }
    if isLate {
      first.answer(success)
      await next.letRun()
      if request != nil, next.hasEnded {
        let text = "the SDK's late answer to the previous call ended the next one when \(when)."
        find(.nextCall, text)
        return nil
      }
    }
    // The SDK may have had no room for the call before that answer; or the calls share it.
    let isShared = request == nil
    if isShared, !next.hasEnded { request = await next.nextCall() }
    request?.answer(success)
    guard await expect(.value, of: next, .nextCall, when: when), let request else { return nil }
    await expectCancellation(of: request, in: next, .nextCall, when: when)
    if first.cancelCount > told {
      find(.nextCall, "the SDK was told to cancel the previous call when \(when).")
    }
    guard interruption == .cancelled, !hasFound(.nextCall), !hasFound(.forwarding)
    else { return isShared ? nil : 1 }
    await interrupted(.cancelled, beside: trial)
    return isShared ? nil : delivers(after: .cancelled) ? 2 : 1
  }
}

extension [Int?] {
  /// `nil` if one is not known.
  var sum: Int? { contains(nil) ? nil : compactMap(\.self).reduce(0, +) }
}
