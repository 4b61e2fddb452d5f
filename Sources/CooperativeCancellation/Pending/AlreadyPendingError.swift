/// The call was refused because another pending call has the same id. If the SDK returns the id, it was
/// called already; otherwise it was not called.
///
/// A ``PendingCall`` whose calls do not wait for their turn throws it for a second call.
public struct AlreadyPendingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that was refused.
  public let callSite: CallSite

  /// Says what happened, where, and what to change.
  public var description: String {
    """
    The call at \(callSite) was refused, because another one is pending that has the same id, or the only place: \
    an answer could be for either. Give each call an id of its own, or wait until the other one has ended. One \
    that was cancelled or timed out is pending until its `onCancel` has returned, its asynchronous operation has \
    ended and, if it waits for its answer, that has come.
    """
  }

  @usableFromInline
  package init(callSite: CallSite) {
    self.callSite = callSite
  }
}
