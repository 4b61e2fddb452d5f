public import CancellationInternals
public import CooperativeCancellation

/// The SDK's value, which need not be `Sendable`, or an error.
@usableFromInline package typealias PendingAnswer<Value> = Result<Sent<Value>, any Error>

extension Result where Failure == any Error {
  /// A `Sendable` value or an error, to be passed to a call.
  @_alwaysEmitIntoClient
  static func sendable<Value: Sendable>(_ result: consuming Result<Value, some Error>) -> Self
  where Success == Sent<Value> {
    result.map { Sent($0) }.mapError { $0 }
  }
}

/// A call in a registry, which keeps what it waits for, so that an answer finds it.
///
/// ```
///            forwarded              answer
///   waiting ──────────▶ forwarded ──────────▶ over
///      │ answer
///      ├─ after an interruption ──▶ forwarding ─ forwarded ──▶ over
///      ├─ a value ────────────────▶ unread ──────┬─ read ────▶ over
///      └─ anything else ──▶ over                 └─ hold ────▶ forwarding
/// ```
///
/// An interrupted call keeps its place until its `onCancel` has returned, so that this `onCancel`
/// cannot reach the next call. For the same reason, a call with a value keeps it until its task has
/// read that, because the task may be cancelled before, and then `onCancel` runs, too.
@usableFromInline package struct PendingEntry<Value>: Sendable {
  @usableFromInline package enum State: Sendable {
    /// Without an answer.
    case waiting
    /// Without an answer, and its `onCancel` has returned.
    case forwarded
    /// It has a value, which its task has not read.
    case unread
    /// It has its answer, and its task forwards an interruption: `onCancel` has not returned.
    case forwarding
    /// Nothing keeps its place.
    case over

    /// Whether the call takes no answer anymore: it has its own, or none will come.
    @_alwaysEmitIntoClient
    package var hasAnswer: Bool {
      switch self {
      case .waiting, .forwarded: false
      case .unread, .forwarding, .over: true
      }
    }

    @_alwaysEmitIntoClient
    package var isUnread: Bool {
      if case .unread = self { true } else { false }
    }

    @_alwaysEmitIntoClient
    package var isOver: Bool {
      if case .over = self { true } else { false }
    }
  }

  @usableFromInline package let reply: Reply<PendingAnswer<Value>>
  /// Numbers are not reused, so another call with the same id differs.
  @usableFromInline package let number: Int
  /// Whether its task may withhold a value, and forward a cancellation, until it has read the
  /// value.
  @usableFromInline let mayWithhold: Bool
  @usableFromInline package var state = State.waiting

  @_alwaysEmitIntoClient
  package init(_ reply: Reply<PendingAnswer<Value>>, _ number: Int, mayWithhold: Bool) {
    self.reply = reply
    self.number = number
    self.mayWithhold = mayWithhold
  }

  /// Passes an answer to the call, which has none. What does not count stays in the caller's
  /// variable.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func answer(_ answer: inout PendingAnswer<Value>?) -> Acceptance {
    let isValue = answer?.isSuccess == true
    let acceptance = reply.accept(&answer)
    moveOn(after: acceptance, isValue: isValue)
    return acceptance
  }

  /// No answer will come.
  @_alwaysEmitIntoClient
  package mutating func stop() -> Acceptance {
    let acceptance = reply.stop()
    moveOn(after: acceptance, isValue: false)
    return acceptance
  }

  /// Decides until when the call keeps its place, after its final event.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func moveOn(after acceptance: Acceptance, isValue: Bool) {
    if case .forwarded = state {
      // The late answer, after `onCancel`.
      state = .over
    } else if acceptance.isInterrupted {
      // The late answer, while `onCancel` has not returned.
      state = .forwarding
    } else {
      // An error cannot be withheld, so nothing is left to forward.
      state = isValue && mayWithhold ? .unread : .over
    }
  }
}

/// What follows from an event of a registry. The shell makes it before it locks, and does after
/// unlocking what it says: it wakes, discards, and releases.
@usableFromInline package struct Effects<Value>: Sendable {
  /// What the call waits for that received its answer, or left.
  @usableFromInline package var reply: Reply<PendingAnswer<Value>>?
  /// Whether the call took the answer. Otherwise, its `onDiscard` receives a value.
  @usableFromInline package var answerIsTaken = false
  /// Where the call's task sleeps, if it is to be woken.
  @usableFromInline package var waiting: Wait?
  /// What waits until the late answer of the call is not expected anymore.
  @usableFromInline var limit: Wait?
  /// Where the task of the call sleeps whose turn begins.
  @usableFromInline package var next: Wait?
  /// Those that were interrupted before their turn: only to be released.
  @usableFromInline var skipped: [Turn] = []

  @_alwaysEmitIntoClient
  package init() {}

  /// An answer was passed to a call: notes whether it took it, and what to wake.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func note(_ acceptance: Acceptance) {
    answerIsTaken = acceptance.counts
    if acceptance.counts { waiting = acceptance.waiting }
  }
}
