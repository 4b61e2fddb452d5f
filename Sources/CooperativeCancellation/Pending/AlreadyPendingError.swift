/// The call was refused because another pending call has the same id, or because a ``PendingCall`` without
/// `waitsForTurn` had one. If the SDK returns the id, it has already been called; otherwise, it was not called.
public struct AlreadyPendingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that was refused.
  public let callSite: CallSite

  /// Says what happened, where, and what to change.
  public var description: String {
    """
    The call at \(callSite) was refused. Another call with this id, or of this `PendingCall`, is \
    waiting, so the answer could belong to either. Give each call its own id. If the ids are the SDK's, \
    let the calls wait for each other: `PendingCalls(ifTaken: .waitForTurn)`, or `.answerInOrder`; \
    `PendingCall(waitsForTurn: true)`. A cancelled call keeps its id until its `operation` and \
    `onCancel` have returned; a `PendingCall`, or a call with `.waitForCallback`, also until the answer \
    arrives.
    """
  }

  @usableFromInline
  package init(callSite: CallSite) {
    self.callSite = callSite
  }
}
