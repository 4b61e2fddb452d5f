internal import CooperativeCancellation

/// What happens to a call before the SDK answers.
enum Interruption: String, Sendable {
  case cancelled = "the task was cancelled"
  case cancelledInsideCall = "the task was cancelled inside the SDK's method"
  case cancelledBeforeRequest = "the task was cancelled before the SDK handed over its request"
  case timedOut = "the call timed out"
}

extension WrapperCheck {
  enum Answer { case success, failure }

  /// What a trial found, and how many values it must have delivered.
  struct Outcome {
    var findings: [Finding]
    var deliveries = 0
  }

  func cancelled() async -> [Finding] {
    async let insideCall = interrupted(.cancelledInsideCall)
    async let beforeRequest = interrupted(.cancelledBeforeRequest)
    var findings = await interrupted(.cancelled)
    for finding in await insideCall + beforeRequest
    where !findings.contains(where: { $0.guarantee == finding.guarantee }) {
      findings.append(finding)
    }
    return findings
  }

  func timedOut() async -> [Finding] { await interrupted(.timedOut) }

  /// The SDK answers only if the wrapper waits for that.
  private func interrupted(_ interruption: Interruption) async -> [Finding] {
    guard let (trial, request, outcome) = await interrupt(interruption) else { return [] }
    let guarantee: WrapperGuarantee = interruption == .timedOut ? .timeout : .forwarding
    let told = await complaints(
      guarantee,
      of: request,
      in: trial,
      when: interruption.rawValue,
      isInterrupted: reaction(to: interruption) != .goesOn
    )
    return outcome.findings + told
  }

  /// Interrupts a call, and then lets the SDK answer, perhaps more than once.
  func lateAnswers(_ interruption: Interruption, _ answers: Answer...) async -> Outcome? {
    guard let interrupted = await interrupt(interruption, answer: answers[0]) else { return nil }
    var (trial, request, outcome) = interrupted
    // The others are those of ``interrupted(_:)``.
    outcome.findings.removeAll { $0.guarantee != .lateAnswer }
    if reaction(to: interruption) == .endsAtOnce { answer(request, answers[0]) }
    let when = "\(interruption.rawValue), and the first answer after that was reported as misuse"
    outcome.findings += trial.reports.map { Finding(.lateAnswer, "\(when): \($0)") }
    for late in answers.dropFirst() { answer(request, late) }
    return outcome
  }

  /// Returns `nil` if the wrapper cannot be interrupted in this way.
  private func interrupt(
    _ interruption: Interruption,
    answer first: Answer = .success
  ) async -> (trial: Trial<Completion>, request: Request, outcome: Outcome)? {
    guard let (trial, request, call) = await begin(interruption) else { return nil }
    // A wrapper may try again.
    trial.fake.whenCalled { $0.drop() }
    let isTimeout = interruption == .timedOut
    if !isTimeout {
      trial.task.cancel()
    } else if (try? await call.passTime?(limit)) == nil {
      request.answer(success)
      let text = "nothing slept on the clock. Does the wrapper's `timeout:` use it?"
      return (trial, request, Outcome(findings: [Finding(.timeout, text)]))
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
        let text = "it ended when \(when), although it should wait for the answer."
        return (trial, request, Outcome(findings: [Finding(guarantee, text)]))
      }
      answer(request, first)
      if response != .waitForCallback { expected = first == .success ? .value : .failure }
      when = "\(interruption.rawValue) and the SDK then answered"
    }
    let findings = complaints(guarantee, await trial.end(), not: expected, when: when)
    // The answer ends a wrapper that hangs, and frees its thread if it blocks one.
    if findings.contains(where: \.hangs) { request.answer(success) }
    request.deliver()
    let deliveries = expected == .value ? 1 : 0
    return (trial, request, Outcome(findings: findings, deliveries: deliveries))
  }

  private func begin(_ interruption: Interruption) async -> (Trial<Completion>, Request, Call)? {
    // The task of a trial waits for the start, so it is made only if there will be one.
    if interruption == .timedOut, makeCall().passTime == nil { return nil }
    let (trial, call) = makeTrial()
    if interruption == .cancelledInsideCall {
      // Does not capture the trial, which keeps the fake.
      trial.fake.whenCalled { [task = trial.task] _ in task.cancel() }
    }
    if interruption == .cancelledBeforeRequest { trial.fake.holdRequestsBack() }
    trial.start()
    guard let request = await trial.nextCall() else { return nil }
    if interruption != .cancelledBeforeRequest || request.isHeldBack {
      return (trial, request, call)
    }
    request.answer(success)
    _ = await trial.end()
    return nil
  }

  func answer(_ request: Request, _ answer: Answer) {
    if let body = answer == .success ? success : failure { request.answer(body) }
  }

  /// Whether an answer after a cancellation is delivered.
  var deliversLate: Bool { response == .deliverResult || response == .ignoreCancellation }

  private enum Reaction { case endsAtOnce, waits, goesOn }

  /// What the wrapper claims to do.
  private func reaction(to interruption: Interruption) -> Reaction {
    switch response {
    case .abandonCallback: .endsAtOnce
    case .waitForCallback, .deliverResult: .waits
    case .ignoreCancellation: interruption == .timedOut ? .endsAtOnce : .goesOn
    }
  }
}
