/// How a call ends that is cancelled or times out before the SDK answers.
///
/// `onCancel` runs at once in all three cases:
///
/// | | the wait ends | result |
/// |---|---|---|
/// | ``abandonCallback`` | at once | `CancellationError` |
/// | ``waitForCallback`` | when the SDK answers | `CancellationError` |
/// | ``deliverResult`` | when the SDK answers | what the SDK reports |
///
/// After a timeout, the error is ``TimeoutError`` instead. <doc:Choosing> helps to choose.
public enum CancellationResponse: Sendable, Hashable, CaseIterable {
  /// Throws `CancellationError` at once, even if the SDK never answers. A late value goes to `onDiscard`. This is
  /// the default.
  case abandonCallback

  /// Waits for the SDK's answer, passes its value to `onDiscard`, and then throws `CancellationError`. For work
  /// that must not overlap with a retry.
  case waitForCallback

  /// Waits for the SDK's answer and delivers it, a value or an error. For work whose result must be known, such
  /// as a payment.
  case deliverResult

  /// Whether a task that is cancelled when it resumes gets no value.
  @inlinable
  var checksAfter: Bool {
    switch self {
    case .abandonCallback, .waitForCallback: true
    case .deliverResult: false
    }
  }
}
