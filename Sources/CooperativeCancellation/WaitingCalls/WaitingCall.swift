/// A call to this library that is waiting now.
@usableFromInline package struct WaitingCall: Sendable {
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

extension WaitingCall {
  /// Where the call is in the source code.
  @_alwaysEmitIntoClient
  package var callSite: CallSite { record.callSite }

  @_alwaysEmitIntoClient
  package var id: (any Hashable & Sendable)? {
    switch record.kind {
    case .call, .element, .taskCancellation: nil
    case .pendingCall(let id), .turn(let id), .tasks(let id, _): id
    }
  }

  /// Where the call is, and what it is waiting for.
  @_alwaysEmitIntoClient
  package var text: String {
    var words = ["\(callSite)"]
    switch state {
    case .waiting: break
    case .cancelled: words.append("cancelled, waiting for the SDK's answer")
    case .timedOut: words.append("timed out, waiting for the SDK's answer")
    case .over: words.append("has finished, but its actor is busy")
    }
    switch record.kind {
    case .call, .pendingCall(nil): break
    case .pendingCall(let id?): words.append("id \(quoted(id))")
    case .turn(nil): words.append("waiting for its turn")
    case .turn(let id?): words.append("id \(quoted(id)), waiting for its turn")
    case .element: words.append("waiting for an element")
    case .taskCancellation: words.append("waiting to be cancelled")
    case .tasks(let id, let callSite):
      if let id { words.append("id \(quoted(id))") }
      let tasks = callSite.map { "the task added at \($0)" } ?? "its tasks"
      words.append("waiting for \(tasks) to end")
    }
    if let secondsLeft, state == .waiting { words.append("\(tenths(secondsLeft)) s left") }
    if let taskName = record.taskName { words.append("in the task \"\(taskName)\"") }
    return words.joined(separator: ", ")
  }
}

@_alwaysEmitIntoClient
func quoted(_ id: any Sendable) -> String { id is String ? "\"\(id)\"" : "\(id)" }

@_alwaysEmitIntoClient
func tenths(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10)" }
