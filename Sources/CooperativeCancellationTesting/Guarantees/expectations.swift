/// How a call should end: with a value, with `CancellationError`, or with another error.
enum WrapperEnd: Sendable { case value, cancellation, failure }

extension WrapperCheck {
  /// Waits for the end of a call. Returns whether it is as expected, and otherwise adds a finding.
  @discardableResult
  func expect(
    _ expected: WrapperEnd,
    of trial: Attempt,
    _ guarantee: WrapperGuarantee,
    when: String
  ) async -> Bool {
    let text: String
    let expected = expected == .cancellation ? cancelledEnd ?? expected : expected
    switch (await trial.end(), expected) {
    case (nil, _):
      if guarantees.contains(guarantee) { hangs.change { $0 = true } }
      return find(guarantee, "it did not end within \(limit) when \(when).")
    case (.success, _) where expected == .value || cancelledEnd == nil: return true
    case (.failure(is CancellationError), .cancellation): return true
    case (.failure(is CancellationError), .failure):
      text = "it threw CancellationError instead of another error"
    case (.failure, .failure): return true
    case (.success, .failure): text = "it returned without throwing an error"
    case (.success, _): text = "it returned instead of throwing CancellationError"
    case (.failure(let error), .cancellation):
      text = "it threw “\(error)” instead of CancellationError"
    case (.failure(let error), .value): text = "it threw “\(error)” instead of returning the value"
    }
    return find(guarantee, "\(text) when \(when).")
  }

  /// Expects that the SDK was told once after an interruption, and otherwise only if it must always
  /// be told. A wrapper may tell it from another thread, slightly later. Expects that no timer of
  /// the wrapper goes on.
  @discardableResult
  func expectCancellation(
    of request: Request,
    in trial: Attempt,
    _ guarantee: WrapperGuarantee,
    when: String,
    isInterrupted: Bool = false
  ) async -> Bool {
    let mustClose = alwaysUnregisters && !isInterrupted
    let guarantee = mustClose ? .closing : guarantee
    guard guarantees.contains(guarantee) else { return true }
    let expected = isInterrupted || mustClose ? 1 : 0
    if expected > 0 { _ = await trial.isForwarded(to: request) }
    await letOthersRun()
    let count = request.cancelCount
    if let clock = trial.call.clock, trial.hasEnded {
      if isInterrupted {
        clock.advance()
        await letOthersRun()
      }
      if isInterrupted ? request.cancelCount > count : !(await clock.isUnused(limit)) {
        let broken = guarantees.contains(.timeout) ? .timeout : guarantee
        find(broken, "the wrapper's timer kept running after the call had ended, when \(when).")
      }
    }
    if count == expected { return true }
    let told = mustClose ? "told to stop or to close" : "told to cancel"
    let times = count == 0 ? "never \(told)" : "\(told) \(count == 1 ? "once" : "\(count) times")"
    let instead = count == 0 ? "" : " instead of \(expected == 1 ? "once" : "never")"
    return find(guarantee, "the SDK was \(times)\(instead) when \(when).")
  }

  func expectNoMisuse(in trial: Attempt, _ guarantee: WrapperGuarantee, _ when: String) {
    for report in trial.reports { find(guarantee, "\(when): \(report)") }
  }
}
