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
///   nothing yet ── answer ──────────────▶ answered ── next ──▶ .answered
///        │
///        └────── interrupt ─────▶ interrupted ── next ──▶ .interrupted
///                                      │
///            answer, .abandonCallback  ├──▶ refused: the SDK's side discards its value
///            answer, any other response└──▶ interrupted and answered: the task reads both, in order
/// ```
///
/// An interruption that comes after the answer, and a second one, change nothing.
///
/// `Answer` is whatever the SDK reports. A value type without a lock: ``Wait`` feeds it and acts on what
/// it returns.
@usableFromInline
package struct WaitMachine<Answer: Sendable>: Sendable {
  /// What the task reads.
  @usableFromInline
  package enum Event: Sendable {
    case interrupted(Interruption)
    case answered(Answer)
    case dropped
  }

  @usableFromInline let response: CancellationResponse
  @usableFromInline var interruption: Interruption?
  @usableFromInline var interruptionIsRead = false
  /// The SDK's last word: ``Event/answered(_:)`` or ``Event/dropped``.
  @usableFromInline var reply: Event?

  @inlinable
  package init(response: CancellationResponse) {
    self.response = response
  }

  /// The task was cancelled or its time is up. Returns whether that counts: then a sleeping task is
  /// woken.
  @inlinable
  package mutating func interrupt(_ cause: Interruption) -> Bool {
    guard interruption == nil, reply == nil else { return false }
    interruption = cause
    return true
  }

  /// The SDK called its completion. Returns whether that counts: then a sleeping task is woken,
  /// otherwise the answer is to be discarded.
  ///
  /// Either this or ``drop()`` comes, and once: ``ReplyMachine`` sees to that.
  @inlinable
  package mutating func answer(_ answer: Answer) -> Bool {
    accept(.answered(answer))
  }

  /// The SDK dropped its completion. Returns whether that counts.
  @inlinable
  package mutating func drop() -> Bool {
    accept(.dropped)
  }

  @inlinable
  mutating func accept(_ reply: Event) -> Bool {
    if interruption != nil, response == .abandonCallback { return false }
    self.reply = reply
    return true
  }

  /// The next event for the task, or `nil`: then it may sleep.
  @inlinable
  package mutating func next() -> Event? {
    if let interruption, !interruptionIsRead {
      interruptionIsRead = true
      return .interrupted(interruption)
    }
    return reply.take()
  }

  /// Whether ``next()`` would return `nil`, so that the task may sleep.
  @inlinable
  package var hasNoEvent: Bool {
    (interruption == nil || interruptionIsRead) && reply == nil
  }
}
