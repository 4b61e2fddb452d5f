internal import CooperativeCancellation

// Two calls of one wrapper at the same time.

extension WrapperCheck {
  /// One of the two calls.
  private struct Caller {
    let name: String
    let trial: Trial<Completion>
    let request: Request
  }

  func twoCalls() async -> Outcome? {
    var total = Outcome(findings: [])
    for encounter in [answerSecondFirst, cancelFirst, { await cancelFirst($1, $0) }] {
      let (trial, call) = makeTrial()
      trial.start()
      guard let request = await trial.nextCall() else { return nil }
      let first = Caller(name: "first", trial: trial, request: request)
      let other = Trial(limit: limit, beside: trial, call.run)
      other.start()
      let otherRequest = await other.nextCall()
      let outcome =
        if let otherRequest {
          await encounter(first, Caller(name: "second", trial: other, request: otherRequest))
        } else {
          await oneAfterTheOther(first, other)
        }
      total.deliveries += outcome.deliveries
      total.findings += outcome.findings
      if !total.findings.isEmpty {
        // Frees what hangs.
        for number in 1...trial.fake.callCount { trial.fake[number]?.answer(success) }
        break
      }
      if otherRequest == nil { break }
    }
    return total
  }

  private func answerSecondFirst(_ first: Caller, _ second: Caller) async -> Outcome {
    var findings = await answer(second, not: first.trial)
    if findings.isEmpty { findings = await answer(first) }
    return Outcome(findings: findings, deliveries: 2)
  }

  private func cancelFirst(_ first: Caller, _ second: Caller) async -> Outcome {
    first.trial.task.cancel()
    if response == .waitForCallback || response == .deliverResult {
      _ = await first.trial.isForwarded(to: first.request)
    }
    if response != .abandonCallback { first.request.answer(success) }
    let when = "the \(first.name) of two calls was cancelled"
    let expected: WrapperEnd = deliversLate ? .value : .cancellation
    var findings = complaints(.twoCalls, await first.trial.end(), not: expected, when: when)
    await letOthersRun()
    if second.request.cancelCount > 0 {
      findings.append(Finding(.twoCalls, "when \(when), the SDK was told to cancel the other one."))
    }
    if findings.isEmpty { findings = await answer(second) }
    return Outcome(findings: findings, deliveries: deliversLate ? 2 : 1)
  }

  /// The wrapper may let the second call wait for its turn.
  private func oneAfterTheOther(_ first: Caller, _ second: Trial<Completion>) async -> Outcome {
    if second.hasEnded {
      let when = "it was called while another call waited"
      return Outcome(findings: complaints(.twoCalls, await second.end(), not: .value, when: when))
    }
    var findings = await answer(first, not: second)
    if findings.isEmpty {
      guard let request = await second.nextCall() else {
        let text = "a second call did not reach the SDK, even after the first one had ended."
        return Outcome(findings: [Finding(.twoCalls, text)], deliveries: 1)
      }
      findings = await answer(Caller(name: "second", trial: second, request: request))
    }
    return Outcome(findings: findings, deliveries: 2)
  }

  private func answer(_ caller: Caller, not other: Trial<Completion>? = nil) async -> [Finding] {
    caller.request.answer(success)
    let when = "the SDK answered the \(caller.name) of two calls"
    let findings = complaints(.twoCalls, await caller.trial.end(), not: .value, when: when)
    await letOthersRun()
    guard findings.isEmpty, let other, other.hasEnded else { return findings }
    return [Finding(.twoCalls, "when \(when), the other one ended, too.")]
  }
}
