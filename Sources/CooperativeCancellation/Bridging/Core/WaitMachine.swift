/// What can end a wait before the SDK does.
@usableFromInline
package enum Interruption: Sendable, Hashable {
  case cancelled
  case timedOut
}

/// Decides how one wait ends: what came first counts, in the order in which this machine heard of it.
///
/// The task reads its events one after the other with ``next()`` and sleeps in between:
///
/// ```
///   nothing yet ── answer or drop ──────▶ .ended
///        │
///        └────── interrupt ─────▶ .interrupted: the cancel is forwarded
///                                      │
///                    .abandonCallback  ├──▶ .ended; an answer is refused, for the SDK's side to discard
///                  any other response  └── answer or drop ──▶ .ended
/// ```
///
/// An interruption that comes after the answer, and a second one, change nothing.
///
/// What the SDK answered is none of its business: the value rests in the ``Reply``, which is passed on as
/// it is, and kept alive until the task has read it. A value type without a lock: ``Wait`` feeds it and acts
/// on what it returns.
@usableFromInline
package struct WaitMachine: Sendable {
  /// The SDK's last word.
  @usableFromInline
  package enum LastWord: Sendable {
    case answered(in: AnyReply)
    case dropped
  }

  /// How a wait ended.
  @usableFromInline
  package enum End: Sendable {
    case answered(in: AnyReply)
    case dropped
    /// With the answer that was waited for, but is not delivered.
    case interrupted(Interruption, discarding: AnyReply?)
  }

  /// What the task reads.
  package enum Event: Sendable {
    case interrupted
    case ended(End)
  }

  private let response: CancellationResponse
  private var interruption: Interruption?
  private var interruptionIsRead = false
  private var lastWord: LastWord?

  package init(response: CancellationResponse) {
    self.response = response
  }

  private var isAbandoned: Bool { interruption != nil && response == .abandonCallback }

  /// The task was cancelled or its time is up. Returns whether that counts: then a sleeping task is
  /// woken.
  package mutating func interrupt(_ cause: Interruption) -> Bool {
    guard interruption == nil, lastWord == nil else { return false }
    interruption = cause
    return true
  }

  /// Whether the task would be told of a drop.
  package var tellsOfDrop: Bool { interruption == nil || response == .deliverResult }

  /// The SDK called its completion, or dropped it. Returns whether that counts: then a sleeping task is
  /// woken, otherwise an answer is to be discarded.
  ///
  /// Comes once: ``ReplyMachine`` sees to that.
  package mutating func hear(_ word: LastWord) -> Bool {
    if isAbandoned { return false }
    lastWord = word
    return true
  }

  /// Whether the task may sleep: ``next()`` would return `nil`.
  package var hasNoEvent: Bool {
    lastWord == nil && (interruption == nil || interruptionIsRead && !isAbandoned)
  }

  /// The next event for the task, or `nil`: then it may sleep.
  package mutating func next() -> Event? {
    if interruption != nil, !interruptionIsRead {
      interruptionIsRead = true
      return .interrupted
    }
    if let interruption, isAbandoned { return .ended(.interrupted(interruption, discarding: nil)) }
    switch (lastWord.take(), response == .deliverResult ? nil : interruption) {
    case (nil, _): return nil
    case (.answered(let reply), nil): return .ended(.answered(in: reply))
    case (.dropped, nil): return .ended(.dropped)
    case (.answered(let reply), let cause?): return .ended(.interrupted(cause, discarding: reply))
    case (.dropped, let cause?): return .ended(.interrupted(cause, discarding: nil))
    }
  }
}
