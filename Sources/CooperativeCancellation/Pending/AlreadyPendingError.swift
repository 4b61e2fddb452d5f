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
    The call at \(callSite) was refused. Another call with this id, or in the only place, is waiting, so the answer \
    could belong to either. Give each call an id of its own, or wait until the other one has ended, and with it its \
    `onCancel`, its asynchronous operation and, with some responses to a cancellation, its answer.
    """
  }

  @usableFromInline
  package init(callSite: CallSite) {
    self.callSite = callSite
  }
}
