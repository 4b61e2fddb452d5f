/// The SDK did not answer within the `timeout:` of the call.
///
/// It is never a `CancellationError`: the task is not cancelled, and may try again.
public struct TimeoutError: Error, Sendable, Hashable, CustomStringConvertible {
  /// How long the call was allowed to take.
  public let duration: Duration

  /// The call that ran out of time.
  public let callSite: CallSite

  /// Says how long was waited, where, and what became of the SDK's work.
  public var description: String {
    if duration <= .zero {
      "The SDK was not called at \(callSite): a timeout of \(duration) leaves it no time."
    } else {
      """
      The SDK did not answer the call at \(callSite) within \(duration). If the call has an `onCancel`, that \
      has run; a value that still comes goes to `onDiscard`. Allow more time, or try again.
      """
    }
  }

  @usableFromInline
  init(duration: Duration, callSite: CallSite) {
    self.duration = duration
    self.callSite = callSite
  }
}
