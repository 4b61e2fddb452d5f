internal import CooperativeCancellation

/// A wrapper under test, and the order of its trials.
struct WrapperCheck<Completion: Sendable>: Sendable {
  typealias Attempt = Trial<Completion>
  typealias Request = FakeCall<Completion>.Request
  typealias Finding = BrokenGuarantees.Finding

  /// One call of the wrapper, and its clock if it has a timeout.
  struct Call: Sendable {
    let run: @Sendable (FakeCall<Completion>) async throws -> Void
    var clock: Clock?
  }

  /// A ``ManualClock``, which older systems do not have.
  struct Clock: Sendable {
    /// Whether something begins to sleep on it in time, and whether nothing sleeps any more.
    let isSlept, isUnused: @Sendable (Timeout) async -> Bool
    /// Passes every deadline.
    let advance: @Sendable () -> Void
  }

  let makeCall: @Sendable () -> Call
  /// How a cancelled call ends: with another error if the wrapper has its own type; `nil` if it
  /// cannot throw.
  let cancelledEnd: WrapperEnd?
  let response: CancellationResponse
  let alwaysUnregisters: Bool
  let values: LiveCount?
  let guarantees: Set<WrapperGuarantee>
  let limit: Timeout
  let success: @Sendable (Completion) -> Void
  let failure: (@Sendable (Completion) -> Void)?

  private let findings = Observed<[Finding]>([])
  let hangs = Observed(false)
  /// How long the completion took, in nanoseconds.
  let answerTime = Observed<Int64>(0)
  /// Whether the wrapper's own task calls the SDK, in each trial that looks.
  let isOwnTask = Observed(true)
  /// What the trials have made, to be released after the last one.
  private let fakes = Observed<[FakeCall<Completion>]>([])

  /// Throws if the wrapper breaks guarantees.
  func run(at callSite: CallSite) async throws {
    let busyBefore = busyWaits.state
    let leftOut = await runTrials()
      .mapValues { $0.filter(guarantees.contains) }.filter { !$0.value.isEmpty }
    fakes.state.forEach { $0.releaseWrapper() }
    if findings.state.isEmpty {
      for line in BrokenGuarantees.describe(leftOut) { print("\(callSite): passes; \(line)") }
    } else if busyWaits.state > busyBefore {
      throw TimeLimitError("the wrapper could not be checked", isTooBusy: true, at: callSite)
    } else {
      throw BrokenGuarantees(callSite: callSite, findings: findings.state, leftOut: leftOut)
    }
  }

  /// Returns the guarantees that were not tried, by the reason.
  ///
  /// A wrapper that hangs early is probably a bare continuation. Resuming it twice traps, so no
  /// risky trials then.
  private func runTrials() async -> [String: [WrapperGuarantee]] {
    let before = valueCount
    guard let isShared = await answer() else {
      return [
        "the wrapper did not get the answer": WrapperGuarantee.allCases.filter { $0 != .answer }
      ]
    }
    await letValuesArrive()
    let kept = valueCount - before
    await atTheSameTime([error, answerInsideCall, checkBefore])
    // A wrapper that waits for the SDK in these may block every thread.
    await atTheSameTime([cancelled, timedOut])
    var leftOut: [WrapperGuarantee] = []
    // A wait that hangs there can never be answered, and would keep its thread.
    let drops = stuckProbe.state == nil || !hangs.state
    if drops { await droppedCompletion() } else { leftOut = [.droppedCompletion] }
    let severalCalls: [WrapperGuarantee] = [.twoCalls, .nextCall]
    if hangs.state {
      leftOut += [.checkAfter, .lateAnswer, .secondAnswer, .noLockHeld]
      if values != nil { leftOut.append(.nothingLost) }
      if isShared { leftOut += severalCalls }
    } else {
      await riskyTrials(kept: kept, isShared: isShared)
    }
    return [
      "the wrapper did not end in another trial": leftOut,
      "no `wrapper { … }`": isShared ? [] : severalCalls,
      "no `alwaysUnregisters: true`, for an SDK that must be stopped after an answer":
        alwaysUnregisters ? [] : [.closing],
      "no `failure:`": failure == nil ? [.error] : [],
      "no clock": makeCall().clock == nil ? [.timeout] : [],
      "no `values:`": values == nil ? [.nothingLost] : [],
    ]
  }

  /// Runs trials at the same time, because a wrapper that hangs in one also hangs in others.
  func atTheSameTime(_ trials: [@Sendable () async -> Void]) async {
    await withTaskGroup { group in
      for trial in trials { group.addTask { await trial() } }
    }
  }

  /// One after another, because each counts the values. Each returns how many must be delivered, or
  /// `nil` if unknown.
  private func riskyTrials(kept: Int, isShared: Bool) async {
    let trials: [(isPossible: Bool, value: String, run: () async -> Int?)] = [
      (true, "after a cancellation under the SDK's lock", noLockHeld),
      (true, "with a cancellation", checkAfter),
      (
        cancelledEnd != nil, "inside the call before a cancellation",
        cancelledAfterAnswerInsideCall
      ),
      (cancelledEnd != nil, "before a cancellation", cancelledAfterAnswer),
      (true, "with a second answer", { await secondAnswer(.success, .success) }),
      (true, "after a cancellation", { await lateAnswers(.cancelled, .success, .success) }),
      (makeCall().clock != nil, "after a timeout", { await lateAnswers(.timedOut, .success) }),
      (canFail, "after an error", { await secondAnswer(.failure, .success) }),
      // If the SDK is not told, nothing shows that the wrapper learned of the cancellation before
      // the error.
      (
        canFail && guarantees.contains(.forwarding), "after a late error",
        { await lateAnswers(.cancelled, .failure, .success) }
      ),
      (true, "inside the SDK's `cancel()`", { await answeredInsideCancel(.success) }),
      (canFail, "after an error inside `cancel()`", { await answeredInsideCancel(.failure) }),
      (isShared && guarantees.contains(.twoCalls), "for one of two calls", twoCalls),
      (isShared && guarantees.contains(.nextCall), "for one of several calls", nextCall),
    ]
    await letValuesArrive()
    var expected = valueCount
    var losses: [String] = []
    for trial in trials where trial.isPossible {
      let before = valueCount
      let due = await trial.run().map { before + $0 * kept }
      // A wrapper may discard on another thread, or slightly later.
      if valueCount != due { await letOthersRun() }
      if valueCount != due { await letValuesArrive() }
      let count = due.map { valueCount - $0 } ?? 0
      expected += valueCount - before - count
      if count == 0 { continue }
      let text = count > 0 ? "was neither delivered nor discarded" : "was discarded more than once"
      losses.append("a value that came \(trial.value) \(text).")
    }
    guard let values, !losses.isEmpty else { return }
    let isSettled = await patiently { [expected] in
      try? await values.current.wait(within: limit) { $0 == expected ? true : nil }
    }
    if isSettled == nil { for loss in losses { find(.nothingLost, loss) } }
  }

  private var valueCount: Int { values?.count ?? 0 }

  /// Waits for values that are on their way, because the answers and the discards of a wrapper may
  /// change threads.
  private func letValuesArrive() async {
    guard let values else { return }
    var hasChanged: Bool? = true
    while hasChanged == true {
      let count = values.count
      hasChanged = try? await values.current.wait(within: .milliseconds(100)) {
        $0 != count ? true : nil
      }
    }
  }

  /// A finding about errors need not be repeated.
  var canFail: Bool { failure != nil && guarantees.contains(.error) && !hasFound(.error) }

  /// Adds a finding, unless the guarantee is excepted. Returns `false`, for what is not well.
  @discardableResult
  func find(_ guarantee: WrapperGuarantee, _ text: String) -> Bool {
    findings.change { findings in
      // Two trials may find the same problem.
      if !guarantees.contains(guarantee) || findings.contains(where: { $0.text == text }) { return }
      findings.append(Finding(guarantee: guarantee, text: text))
    }
    return false
  }

  func hasFound(_ guarantee: WrapperGuarantee) -> Bool {
    findings.state.contains { $0.guarantee == guarantee }
  }

  /// Beside another trial, it calls the same wrapper, and the SDK does nothing by itself.
  func makeTrial(beside other: Attempt? = nil) -> Attempt {
    other?.fake.reset()
    let trial = Trial(limit: limit, beside: other, other?.call ?? makeCall())
    fakes.change { $0.append(trial.fake) }
    return trial
  }

  func startTrial(whenCalled body: @escaping @Sendable (Request) -> Void = { _ in }) -> Attempt {
    let trial = makeTrial()
    trial.fake.whenCalled(body)
    trial.start()
    return trial
  }

  /// Returns a call that the SDK has received, if there is one in time.
  func beginTrial() async -> (Attempt, Request)? {
    let trial = startTrial()
    return await trial.nextCall().map { (trial, $0) }
  }
}
