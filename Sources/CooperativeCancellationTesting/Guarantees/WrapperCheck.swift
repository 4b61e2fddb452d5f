internal import CooperativeCancellation

/// A wrapper under test, and the order of its trials.
struct WrapperCheck<Completion: Sendable>: Sendable {
  typealias Request = FakeCall<Completion>.Request
  typealias Finding = BrokenGuarantees.Finding

  /// One call of the wrapper, and what advances its time if it has a timeout.
  struct Call: Sendable {
    let run: @Sendable (FakeCall<Completion>) async throws -> Void
    var passTime: (@Sendable (Timeout) async throws -> Void)?
  }

  let makeCall: @Sendable () -> Call
  /// How a cancelled call ends: with another error if the wrapper has its own error type, and in any way (`nil`) if it
  /// cannot throw.
  let cancelledEnd: WrapperEnd?
  let response: CancellationResponse
  let alwaysUnregisters: Bool
  let values: LiveCount?
  let guarantees: Set<WrapperGuarantee>
  let limit: Timeout
  let success: @Sendable (Completion) -> Void
  let failure: (@Sendable (Completion) -> Void)?

  /// Throws if the wrapper breaks guarantees.
  ///
  /// A wrapper that hangs in one of the first trials is probably a bare continuation. Resuming that twice
  /// ends the process, so the risky trials are then skipped.
  func run(at callSite: CallSite) async throws {
    let before = valueCount
    var (findings, isShared) = await answer()
    guard let isShared else { throw BrokenGuarantees(findings, [], callSite) }
    let kept = valueCount - before
    findings += await self.findings(of: [error, answerInsideCall, checkBefore])
    // A wrapper that waits for the SDK in these may block every thread.
    findings += await self.findings(of: [cancelled, timedOut])
    findings.removeAll { !guarantees.contains($0.guarantee) }
    var leftOut: [WrapperGuarantee] = []
    // A wait that hangs there can never be answered, and would keep its thread.
    let drops = stuckProbe.state == nil || !findings.contains(where: \.hangs)
    if drops { findings += await droppedCompletion() } else { leftOut = [.droppedCompletion] }
    if findings.contains(where: \.hangs) {
      leftOut += [.checkAfter, .lateAnswer, .secondAnswer, .nothingLost, .noLockHeld]
      if isShared { leftOut.append(.twoCalls) }
    } else {
      // A finding about errors need not be repeated.
      let canFail = failure != nil && !findings.contains { $0.guarantee == .error }
      findings += await riskyTrials(kept: kept, canFail: canFail, isShared: isShared)
    }
    findings.removeAll { !guarantees.contains($0.guarantee) }
    if findings.isEmpty { return }
    throw BrokenGuarantees(findings, leftOut.filter(guarantees.contains), callSite)
  }

  /// Runs trials at the same time, because a wrapper that hangs in one also hangs in others.
  private func findings(of trials: [@Sendable () async -> [Finding]]) async -> [Finding] {
    await withTaskGroup(of: (Int, [Finding]).self) { group in
      for (number, trial) in trials.enumerated() {
        group.addTask { (number, await trial()) }
      }
      var findings: [(Int, [Finding])] = []
      for await finding in group { findings.append(finding) }
      return findings.sorted { $0.0 < $1.0 }.flatMap { $0.1 }
    }
  }

  /// Runs one trial after another, because each counts the values.
  private func riskyTrials(kept: Int, canFail: Bool, isShared: Bool) async -> [Finding] {
    let trials: [(isPossible: Bool, value: String, run: () async -> Outcome?)] = [
      (true, "with a cancellation", checkAfter),
      (true, "before a cancellation", cancelledAfterAnswer),
      (true, "with a second answer", { await secondAnswer(.success, .success) }),
      (true, "after a cancellation", { await lateAnswers(.cancelled, .success, .success) }),
      (true, "after a timeout", { await lateAnswers(.timedOut, .success) }),
      (canFail, "after an error", { await secondAnswer(.failure, .success) }),
      // If the SDK is not told, nothing shows that the wrapper learned of the cancellation before the error.
      (
        canFail && guarantees.contains(.forwarding), "after a late error",
        { await lateAnswers(.cancelled, .failure, .success) }
      ),
      (isShared, "for one of two calls", twoCalls),
    ]
    var expected = valueCount
    var findings: [Finding] = []
    var losses: [Finding] = []
    for trial in trials where trial.isPossible {
      let before = valueCount
      guard let outcome = await trial.run() else { continue }
      findings += outcome.findings
      let change = outcome.deliveries * kept
      expected += change
      // A wrapper may discard on another thread, slightly later.
      if valueCount - before != change { await letOthersRun() }
      let count = valueCount - before - change
      if count == 0 { continue }
      let text = count > 0 ? "was neither delivered nor discarded" : "was discarded more than once"
      losses.append(Finding(.nothingLost, "a value that came \(trial.value) \(text)."))
    }
    if let values, !losses.isEmpty {
      let expected = expected
      let isSettled = await patiently {
        try? await values.current.wait(within: limit) { $0 == expected ? true : nil }
      }
      if isSettled == nil { findings += losses }
    }
    return findings + (await noLockHeld())
  }

  private var valueCount: Int { values?.count ?? 0 }

  func makeTrial() -> (Trial<Completion>, Call) {
    let call = makeCall()
    return (Trial(limit: limit, call.run), call)
  }

  /// Returns a call that the SDK has received, if there is one in time.
  func beginTrial() async -> (Trial<Completion>, Request)? {
    let (trial, _) = makeTrial()
    trial.start()
    return await trial.nextCall().map { (trial, $0) }
  }
}
