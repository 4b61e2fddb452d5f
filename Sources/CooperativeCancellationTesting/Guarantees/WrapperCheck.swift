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
  let canThrow: Bool
  let response: CancellationResponse
  let values: Population?
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
    var findings = await answer()
    if findings.contains(where: \.isHopeless) { throw BrokenGuarantees(findings, [], callSite) }
    let kept = valueCount - before
    findings += await harmlessTrials()
    findings.removeAll { !guarantees.contains($0.guarantee) }
    var leftOut: [WrapperGuarantee] = []
    if findings.contains(where: \.hangs) {
      leftOut = [.checkAfter, .lateAnswer, .secondAnswer, .nothingLost, .noLockHeld]
    } else {
      findings += await riskyTrials(kept: kept)
    }
    findings.removeAll { !guarantees.contains($0.guarantee) }
    if findings.isEmpty { return }
    throw BrokenGuarantees(findings, leftOut.filter(guarantees.contains), callSite)
  }

  /// Run at the same time, because a wrapper that hangs in one also hangs in others.
  private func harmlessTrials() async -> [Finding] {
    let trials = [
      error, answerInsideCall, checkBefore, cancelledWhileWaiting, droppedCompletion, timeout,
    ]
    return await withTaskGroup(of: (Int, [Finding]).self) { group in
      for (number, trial) in trials.enumerated() {
        group.addTask { (number, await trial()) }
      }
      var findings: [(Int, [Finding])] = []
      for await finding in group { findings.append(finding) }
      return findings.sorted { $0.0 < $1.0 }.flatMap { $0.1 }
    }
  }

  /// Run one after the other, because each counts the values.
  private func riskyTrials(kept: Int) async -> [Finding] {
    let trials = [
      (checkAfter, "came with a cancellation", deliversLate ? kept : 0),
      (lateAnswer, "came after a cancellation", response == .deliverResult ? kept : 0),
      (secondAnswer, "came with a second answer", kept),
    ]
    let expected = trials.reduce(valueCount) { $0 + $1.2 }
    var findings: [Finding] = []
    var losses: [Finding] = []
    for (trial, when, kept) in trials {
      let before = valueCount
      findings += await trial()
      let count = valueCount - before - kept
      if count == 0 { continue }
      let text = count > 0 ? "was neither delivered nor discarded" : "was discarded more than once"
      losses.append(Finding(.nothingLost, "a value that \(when) \(text)."))
    }
    // A wrapper may discard on another thread, slightly later.
    if let values {
      let isSettled = await patiently {
        try? await values.size.wait(within: limit) { $0 == expected ? true : nil }
      }
      if isSettled == nil { findings += losses }
    }
    return findings + (await noLockHeld())
  }

  var valueCount: Int { values?.count ?? 0 }

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
