/// No answer arrived within the `timeout:` of the call.
///
/// The task is not cancelled, and may try again.
public struct TimeoutError: Error, Sendable, Hashable, CustomStringConvertible {
  private let nanoseconds: Int64

  /// The call that timed out.
  public let callSite: CallSite

  /// How long the call was allowed to take, in seconds.
  package var seconds: Double { Double(nanoseconds) / 1_000_000_000 }

  /// Says how long the call waited, where, and what happened to the SDK's work.
  public var description: String {
    let timeout = Timeout(nanoseconds: nanoseconds)
    return if timeout.isOver {
      "The call at \(callSite) timed out at once, because its timeout is \(timeout). Allow more time."
    } else {
      """
      The call at \(callSite) timed out after \(timeout). If the SDK was called, and the call has an \
      `onCancel`, the SDK was told to stop. A value that arrives later is discarded. Allow more time, or \
      try again.
      """
    }
  }

  /// Creates the error of a call, for example to test what a screen does with it. `CallSite()` is
  /// the place where you write it.
  public init(_ timeout: Timeout, callSite: CallSite) {
    nanoseconds = timeout.nanoseconds
    self.callSite = callSite
  }
}
