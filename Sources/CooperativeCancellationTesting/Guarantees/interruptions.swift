internal import CooperativeCancellation

/// What happens to a call before the SDK answers.
enum Disturbance: String, Sendable {
  case cancelled = "the task was cancelled"
  case cancelledInsideCall = "the task was cancelled inside the SDK's method"
  case cancelledBeforeRequest = "the task was cancelled before the SDK delivered its request"
  case timedOut = "the call timed out"
}

extension WrapperCheck {
  enum Answer { case success, failure }

  func cancelled() async {
    guard await interrupted(.cancelled) else { return }
    await atTheSameTime([
      { await interrupted(.cancelledInsideCall) }, { await interrupted(.cancelledBeforeRequest) },
    ])
  }

  func timedOut() async { await interrupted(.timedOut) }

  /// The SDK answers only if the wrapper waits for that. Returns whether all is well.
  @discardableResult
  func interrupted(_ interruption: Disturbance, beside other: Attempt? = nil) async -> Bool {
    guard let (trial, request, isWell) = await interrupt(interruption, beside: other)
    else { return true }
    // Perhaps nothing used the clock.
    if !isWell, interruption == .timedOut { return false }
    // An SDK that cannot cancel is not told of a timeout either.
    if interruption == .timedOut, !guarantees.contains(.forwarding) { return isWell }
    let isTold = await expectCancellation(
      of: request,
      in: trial,
      interruption == .timedOut ? .timeout : .forwarding,
      when: interruption.rawValue + (other == nil ? "" : " in a second call"),
      isInterrupted: reaction(to: interruption) != .goesOn
    )
    return isWell && isTold
  }

  /// Interrupts a call, and then lets the SDK answer, perhaps more than once. Returns how many
  /// values must be delivered, or `nil` if that is not known.
  func lateAnswers(_ interruption: Disturbance, _ answers: Answer...) async -> Int? {
    guard let (trial, request, isWell) = await interrupt(interruption, answer: answers[0]),
      // Otherwise, the SDK has answered, to end the trial.
      isWell || interruption != .timedOut
    else { return nil }
    if reaction(to: interruption) == .endsAtOnce { answer(request, answers[0]) }
    let when = "\(interruption.rawValue), and the first answer after that was reported as misuse"
    if !hasFound(.oneAnswer) { expectNoMisuse(in: trial, .lateAnswer, when) }
    for late in answers.dropFirst() { answer(request, late) }
    return isWell && answers[0] == .success && delivers(after: interruption) ? 1 : 0
  }

  /// Returns whether the call ended as it should, or `nil` if the wrapper cannot be interrupted in
  /// this way.
  func interrupt(
    _ interruption: Disturbance,
    beside other: Attempt? = nil,
    answer first: Answer = .success
  ) async -> (trial: Attempt, request: Request, isWell: Bool)? {
    guard let (trial, request) = await begin(interruption, other) else { return nil }
    // A wrapper may try again.
    trial.fake.whenCalled { $0.drop() }
    let isTimeout = interruption == .timedOut
    if !isTimeout {
      trial.task.cancel()
    } else if let clock = trial.call.clock, await clock.isSlept(limit) {
      clock.advance()
    } else {
      request.answer(success)
      let text = "nothing used the clock within \(limit). Does the wrapper's `timeout:` use it?"
      return (trial, request, find(.timeout, text))
    }
    let reaction = reaction(to: interruption)
    var guarantee: WrapperGuarantee = isTimeout ? .timeout : .prompt
    var expected: WrapperEnd = isTimeout ? .failure : .cancellation
    var when = "\(interruption.rawValue) and the SDK did not answer"
    if reaction != .endsAtOnce {
      if !isTimeout { guarantee = .lateAnswer }
      request.deliver()
      if reaction == .waits, guarantees.contains(.forwarding) {
        _ = await trial.isForwarded(to: request)
      }
      await letOthersRun()
      if trial.hasEnded {
        let text = "it ended when \(when), instead of waiting for the answer."
        return (trial, request, find(guarantee, text))
      }
      answer(request, first)
      if delivers(after: interruption) { expected = first == .success ? .value : .failure }
      when = "\(interruption.rawValue) and the SDK then answered"
    }
    let isWell = await expect(expected, of: trial, guarantee, when: when)
    if isTimeout, trial.task.isCancelled { find(.timeout, "it cancelled its task when \(when).") }
    // The answer ends a wrapper that hangs, and frees its thread if it blocks one.
    if !trial.hasEnded { request.answer(success) }
    request.deliver()
    return (trial, request, isWell)
  }

  private func begin(_ interruption: Disturbance, _ other: Attempt?) async -> (Attempt, Request)? {
    // The task of a trial waits for the start, so it is made only if there will be one.
    if interruption == .timedOut, makeCall().clock == nil { return nil }
    let trial = makeTrial(beside: other)
    if interruption == .cancelledInsideCall {
      // Does not capture the trial, which keeps the fake.
      trial.fake.whenCalled { [task = trial.task] _ in task.cancel() }
    }
    if interruption == .cancelledBeforeRequest { trial.fake.holdRequestsBack() }
    trial.start()
    let call = other == nil ? await trial.nextCall() : await trial.nextCallSoon()
    guard let request = call else { return nil }
    if interruption != .cancelledBeforeRequest || request.isHeldBack { return (trial, request) }
    request.answer(success)
    _ = await trial.end()
    return nil
  }

  func answer(_ request: Request, _ answer: Answer) {
    if let body = answer == .success ? success : failure { request.answer(body) }
  }

  /// Whether an answer after a cancellation is delivered.
  var deliversLate: Bool { response == .deliverResult || response == .ignoreCancellation }

  /// Whether a value that comes after an interruption is delivered.
  func delivers(after interruption: Disturbance) -> Bool {
    deliversLate && reaction(to: interruption) != .endsAtOnce
  }

  enum Reaction { case endsAtOnce, waits, goesOn }

  /// What the wrapper claims to do.
  func reaction(to interruption: Disturbance) -> Reaction {
    switch response {
    case .abandonCallback: .endsAtOnce
    case .waitForCallback, .deliverResult: .waits
    case .ignoreCancellation: interruption == .timedOut ? .endsAtOnce : .goesOn
    }
  }
}
