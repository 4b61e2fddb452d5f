internal import CooperativeCancellation

/// How a call should end: with a value, with `CancellationError`, or with another error.
enum WrapperEnd: Sendable { case value, cancellation, failure }

extension WrapperCheck {
  func complaints(
    _ guarantee: WrapperGuarantee,
    _ end: Trial<Completion>.End,
    not expected: WrapperEnd,
    when: String
  ) -> [Finding] {
    let text: String
    let expected = expected == .cancellation ? cancelledEnd ?? expected : expected
    switch (end, expected) {
    case (.stillRuns, _):
      return [Finding(guarantee, "it did not end within \(limit) when \(when).", hangs: true)]
    case (.returned, _) where expected == .value || cancelledEnd == nil: return []
    case (.threw(is CancellationError), .cancellation): return []
    case (.threw(is CancellationError), .failure):
      text = "it threw CancellationError instead of another error"
    case (.threw, .failure): return []
    case (.returned, .failure): text = "it returned without throwing an error"
    case (.returned, _): text = "it returned instead of throwing CancellationError"
    case (.threw(let error), .cancellation):
      text = "it threw “\(error)” instead of CancellationError"
    case (.threw(let error), .value): text = "it threw “\(error)” instead of returning the value"
    }
    return [Finding(guarantee, "\(text) when \(when).")]
  }

  /// Checks that the SDK was told once after an interruption, and otherwise only if it must always be told. A wrapper
  /// may tell it from another thread, slightly later.
  func complaints(
    _ guarantee: WrapperGuarantee,
    of request: Request,
    in trial: Trial<Completion>,
    when: String,
    isInterrupted: Bool = false
  ) async -> [Finding] {
    guard guarantees.contains(guarantee) else { return [] }
    let expected = isInterrupted || alwaysUnregisters ? 1 : 0
    if expected > 0 { _ = await trial.isForwarded(to: request) }
    await letOthersRun()
    let count = request.cancelCount
    if count == expected { return [] }
    let times = count == 1 ? "once" : "\(count) times"
    let text =
      count == 0
      ? "the SDK was never told to cancel"
      : "the SDK was told to cancel \(times) instead of \(expected == 1 ? "once" : "never")"
    return [Finding(guarantee, "\(text) when \(when).")]
  }

  func misuse(in trial: Trial<Completion>, _ answer: String) -> [Finding] {
    trial.reports.map { Finding(.oneAnswer, "the SDK answered once, \(answer), but: \($0)") }
  }
}
