public import CooperativeCancellation

/// Another pending call has the id. The SDK has not been called, unless it is the one that returns
/// the id.
public struct AlreadyPendingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The call that was refused.
  public let callSite: CallSite

  /// Says what happened, where, and what to change.
  public var description: String {
    """
    The call at \(callSite) was refused. Another call with this id is waiting, so the answer could belong \
    to either. Give each call its own id. If the ids are the SDK's, let the calls wait for each other: \
    `PendingCalls(ifTaken: .waitForTurn)`, or `.answerInOrder`. A cancelled call keeps its id until its \
    `operation` and `onCancel` have returned; with `.waitForCallback` and `.deliverResult`, also until the \
    answer arrives.
    """
  }

  /// Creates the error of a call, for example to test what a screen does with it. `CallSite()` is
  /// the place where you write it.
  public init(callSite: CallSite) { self.callSite = callSite }
}
