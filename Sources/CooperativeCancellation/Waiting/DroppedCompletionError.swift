/// The SDK released a completion without calling it.
///
/// Typical causes: an early `return` in the SDK or its wrapper that skips the callback, a delegate
/// that the SDK holds weakly and that was released, or an SDK object that was released during the
/// call.
public struct DroppedCompletionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that made the completion.
  public let callSite: CallSite

  /// Says what happened, where, and what to change.
  public var description: String {
    """
    The completion made at \(callSite) was released without being called, so the call has no result. \
    Call it exactly once on every path, including early returns and failures, and keep the SDK object \
    or delegate that owns it alive until it answers.
    """
  }

  /// Creates the error of a call, for example to test what a screen does with it. `CallSite()` is
  /// the place where you write it.
  public init(callSite: CallSite) { self.callSite = callSite }
}
