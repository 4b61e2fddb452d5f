/// A call to this library that is waiting now: what a hung test or a frozen screen is waiting for.
///
/// A suspended task is on no thread, so no backtrace shows it. ``list`` does:
///
/// ```
/// 3 calls are waiting:
///   12.3 s  App/Feed.swift:53, 47.7 s left, in the task "refresh"
///   3.1 s  App/Photos.swift:57, timed out, waiting for the SDK's answer
///   0.1 s  App/Socket.swift:58, id 4711
/// ```
///
/// Calls are recorded in debug builds, and elsewhere after ``startRecording(reportingAfter:)``. See
/// <doc:ItHangs>.
public struct WaitingCall: Sendable {
  /// What is waiting.
  @usableFromInline package enum Kind: Sendable {
    /// A call with a completion handler.
    case call
    /// A call of `PendingCalls`, with its id, or of `PendingCall`, or a wait for a `PendingEvent`.
    case pendingCall(id: (any Hashable & Sendable)?)
    /// A call of `PendingCall`, or `PendingCalls` with its id, that waits for its turn: the SDK has
    /// not been called.
    case turn(id: (any Hashable & Sendable)?)
    /// A reader of a sequence, for which a long wait may be normal. The call site is the
    /// sequence's.
    case element
    /// A wait for all tasks of a `TaskBag`; with a call site, for the task that was added there,
    /// perhaps with an id.
    case tasks(id: (any Hashable & Sendable)?, addedAt: CallSite?)
    /// A task that waits until it is cancelled, for which a long wait is normal.
    case taskCancellation
  }

  /// How far along the call is.
  @usableFromInline package enum State: Sendable, Hashable {
    /// It is waiting for its answer.
    case waiting
    /// It was cancelled, and is waiting for the SDK's answer: see ``CancellationResponse``.
    case cancelled
    /// It timed out, and is waiting for the SDK's answer.
    case timedOut
    /// It has its answer, was cancelled or timed out, but its task has not run since: the actor, or
    /// the pool, is busy.
    case over
  }

  /// What does not change while it waits.
  @usableFromInline let record: Recorder.Record
  @usableFromInline let begin: Moment
  /// How far along the call is.
  @usableFromInline package let state: State
  @usableFromInline let now: Moment

  @_alwaysEmitIntoClient
  init(_ record: Recorder.Record, begin: Moment, _ state: State, now: Moment) {
    self.record = record
    self.begin = begin
    self.state = state
    self.now = now
  }

  /// How long the call has waited, in seconds.
  @_alwaysEmitIntoClient
  package var seconds: Double { Double(begin.nanoseconds(to: now)) / 1e9 }

  /// How long the call may still wait, in seconds; `nil` without a timeout, or if the timeout is on
  /// your own clock.
  @_alwaysEmitIntoClient
  package var secondsLeft: Double? { record.end.map { Double(now.nanoseconds(to: $0)) / 1e9 } }
}
