/// The SDK was not called, because another call with the same id waits for its answer; or the SDK returned an id
/// that another call has.
///
/// Which of the two an answer with that id is for, nobody could tell. ``PendingCall`` throws it for a second call if
/// it is told to refuse those.
public struct AlreadyPendingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that was refused.
  public let callSite: CallSite

  /// Says what happened, where, and what to change.
  public var description: String {
    """
    The call at \(callSite) was refused, because another one is pending that has the same id, or the only place: \
    an answer could be for either. Give each call an id of its own, or wait until the other one has ended. One \
    that waits for its answer after a cancellation or a timeout is pending until that comes.
    """
  }

  @usableFromInline
  package init(callSite: CallSite) {
    self.callSite = callSite
  }
}
