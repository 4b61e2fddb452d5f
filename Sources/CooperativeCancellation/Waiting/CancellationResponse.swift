/// What a call does if it is cancelled or times out.
///
/// | | in a cancelled task | `onCancel` | the wait ends | result |
/// |---|---|---|---|---|
/// | ``abandonCallback`` | no call | runs at once | at once | `CancellationError` |
/// | ``waitForCallback`` | no call | runs at once | when the SDK answers | `CancellationError` |
/// | ``deliverResult`` | no call | runs at once | when the SDK answers | what the SDK reports |
/// | ``ignoreCancellation`` | calls the SDK | does not run | when the SDK answers | what the SDK reports |
///
/// A cancellation after the SDK's answer has no effect, except that ``abandonCallback`` and
/// ``waitForCallback`` withhold a value if the task is cancelled before it has read that. Then
/// `onCancel` runs, too, the value goes to `onDiscard`, and the call throws `CancellationError`. An
/// error is delivered. A continuation withholds nothing.
///
/// A timeout has the same effect as a cancellation, with ``TimeoutError`` as the error; with
/// ``ignoreCancellation``, it has the effect that it has with ``abandonCallback``. <doc:Choosing>
/// helps to choose.
#if hasAttribute(nonexhaustive)
  @nonexhaustive
#endif
public enum CancellationResponse: Sendable, Hashable, CaseIterable {
  /// The default: throws at once, even if the SDK never answers. A late value goes to `onDiscard`.
  case abandonCallback

  /// Waits for the SDK, passes its value to `onDiscard`, and throws: for work that must not overlap
  /// with a retry.
  case waitForCallback

  /// Waits for the SDK and delivers its value or error: for work whose result must be known, such
  /// as a payment.
  case deliverResult

  /// Calls the SDK even in a cancelled task, and does not tell it of a cancellation: for work that
  /// must not be prevented, such as shutting down, releasing, or waiting for a process to end.
  case ignoreCancellation

  /// Whether a task that is cancelled when it resumes gets no value.
  @_alwaysEmitIntoClient
  package var checksAfter: Bool {
    switch self {
    case .abandonCallback, .waitForCallback: true
    case .deliverResult, .ignoreCancellation: false
    }
  }

  /// Whether a wait that is interrupted ends without the SDK's answer.
  @_alwaysEmitIntoClient
  package var endsAtOnce: Bool {
    switch self {
    case .abandonCallback, .ignoreCancellation: true
    case .waitForCallback, .deliverResult: false
    }
  }
}
