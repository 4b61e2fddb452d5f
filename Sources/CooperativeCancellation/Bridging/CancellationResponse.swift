/// What a cancellation or a timeout before the SDK's answer means for a call.
///
/// | | in a cancelled task | `onCancel` | the wait ends | result |
/// |---|---|---|---|---|
/// | ``abandonCallback`` | no call | runs at once | at once | `CancellationError` |
/// | ``waitForCallback`` | no call | runs at once | when the SDK answers | `CancellationError` |
/// | ``deliverResult`` | no call | runs at once | when the SDK answers | what the SDK reports |
/// | ``ignoreCancellation`` | calls the SDK | does not run | when the SDK answers | what the SDK reports |
///
/// A timeout counts as a cancellation does, with ``TimeoutError`` as the error; with ``ignoreCancellation``, it counts as
/// with ``abandonCallback``. <doc:Choosing> helps to choose.
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

  /// Calls the SDK even in a cancelled task, does not forward a cancellation, and delivers the SDK's answer. For work that
  /// a cancellation must not prevent: to shut down, to release, to wait for the end of a process.
  case ignoreCancellation

  /// Whether a task that is cancelled when it resumes gets no value.
  @inlinable
  var checksAfter: Bool {
    switch self {
    case .abandonCallback, .waitForCallback: true
    case .deliverResult, .ignoreCancellation: false
    }
  }

  /// Whether a wait that is interrupted ends without the SDK's answer.
  @inlinable
  var endsAtOnce: Bool {
    switch self {
    case .abandonCallback, .ignoreCancellation: true
    case .waitForCallback, .deliverResult: false
    }
  }
}
