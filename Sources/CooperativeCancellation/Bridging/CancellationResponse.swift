/// What a wait does when its task is cancelled, or its time is up, before the SDK has answered.
///
/// The cancel is forwarded to the SDK (`onCancel`) in all three cases. They differ in what the wait
/// then waits for, and in what it returns:
///
/// | | comes back | with |
/// |---|---|---|
/// | ``abandonCallback`` | at once | `CancellationError` |
/// | ``waitForCallback`` | when the SDK answers | `CancellationError` |
/// | ``deliverResult`` | when the SDK answers | whatever the SDK reports |
///
/// <doc:Choosing> has a time line of each, and three questions that choose.
public enum CancellationResponse: Sendable, Hashable, CaseIterable {
  /// Ends the wait at once with `CancellationError`, even if the SDK never answers. Its late value,
  /// if one comes, is passed to `onDiscard`. The default.
  case abandonCallback

  /// Forwards the cancel, waits for the SDK to answer, passes its value to `onDiscard` and then throws
  /// `CancellationError`. For work that must not overlap with a retry.
  case waitForCallback

  /// Forwards the cancel and returns whatever the SDK reports: its value, its error. For work whose
  /// result must be known, such as a payment that may have gone through.
  case deliverResult

  /// Whether a value is withheld from a task that is cancelled by the time it resumes.
  @inlinable
  var checksAfter: Bool {
    switch self {
    case .abandonCallback, .waitForCallback: true
    case .deliverResult: false
    }
  }
}
