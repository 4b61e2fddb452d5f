public import CancellationInternals

/// What can end a wait before the SDK does.
@usableFromInline package enum Interruption: Sendable, Hashable {
  case cancelled
  case timedOut
}

/// Decides how one wait ends: the event that reaches this machine first counts.
///
/// The task reads its events with ``next()``, one at a time, and sleeps when there is none:
///
/// ```
///   nothing yet ── answer or drop ──────▶ .ended
///        │
///        └────── interrupt ─────▶ .interrupted: forwarded to the SDK
///                                      │
///                    .abandonCallback  ├──▶ .ended; the SDK's thread discards a later answer
///                  any other response  └── answer or drop ──▶ .ended
/// ```
///
/// An interruption after the answer, or a second one, changes nothing. With `.ignoreCancellation`,
/// cancellation changes nothing, and a timeout ends the wait as with `.abandonCallback`.
///
/// The machine does not read the answer. It keeps the buffer of its `Reply`, until the task takes
/// it.
@usableFromInline package struct WaitMachine: Sendable {
  /// How the SDK ended the call.
  @usableFromInline package enum FinalEvent: Sendable {
    case answered(in: AnyReply)
    case dropped
    /// An asynchronous `operation` was cancelled, and stopped.
    case stopped
  }

  @usableFromInline package enum End: Sendable {
    case answered(in: AnyReply)
    case dropped
    /// With the answer that is not delivered, if any.
    case interrupted(Interruption, discarding: AnyReply?)
  }

  @usableFromInline package enum Event: Sendable {
    case interrupted
    case ended(End)
  }

  private let response: CancellationResponse
  // Not one enumeration, because its code, which would be in every program, is larger.
  private var interruption: Interruption?
  /// Whether the task has read the interruption, which it then forwards.
  private var interruptionIsRead = false
  package private(set) var finalEvent: FinalEvent?

  package init(response: CancellationResponse) { self.response = response }

  package var isInterrupted: Bool { interruption != nil }
  private var isAbandoned: Bool { isInterrupted && response.endsAtOnce }

  /// The task was cancelled, or the call timed out. Returns whether that counts and wakes a
  /// sleeping task.
  package mutating func interrupt(_ cause: Interruption) -> Bool {
    // The first event counts, and the SDK is told of one interruption only.
    guard interruption == nil, finalEvent == nil else { return false }
    if cause == .cancelled, response == .ignoreCancellation { return false }
    interruption = cause
    return true
  }

  /// Whether a final event decides how the call ends, rather than an earlier interruption.
  package var finalEventDecides: Bool { interruption == nil || response == .deliverResult }

  /// The SDK answered, or dropped its completion. Returns whether that counts and wakes a sleeping
  /// task; if not, the caller keeps the answer. At most one is received: `ReplyMachine` ensures
  /// that.
  package mutating func receive(_ event: consuming FinalEvent) -> Bool {
    // The wait has ended without the SDK.
    if isAbandoned { return false }
    finalEvent = event
    return true
  }

  /// Whether the task may sleep, because ``next()`` would return `nil`.
  package var hasNoEvent: Bool {
    if finalEvent != nil { return false }
    if interruption == nil { return true }
    // After it has forwarded the interruption, the task waits for the SDK, or ends.
    return interruptionIsRead && !isAbandoned
  }

  package var progress: WaitingCall.State {
    guard hasNoEvent else { return .over }
    return switch interruption {
    case nil: .waiting
    case .cancelled: .cancelled
    case .timedOut: .timedOut
    }
  }

  /// Returns the next event for the task, or `nil` if the task may sleep.
  package mutating func next() -> Event? {
    // Before the answer, if that has arrived, too, because it came later, and the SDK must hear of
    // the interruption.
    if interruption != nil, !interruptionIsRead {
      interruptionIsRead = true
      return .interrupted
    }
    if let interruption, isAbandoned {
      // A later answer will find that it does not count.
      return .ended(.interrupted(interruption, discarding: nil))
    }
    guard let event = finalEvent.take() else { return nil }
    return .ended(end(with: event))
  }

  /// How a final event ends the call. An earlier interruption hides it, unless the response asks
  /// for the SDK's result.
  private func end(with event: FinalEvent) -> End {
    if case .stopped = event {
      // Without an interruption, the operation has cancelled its own task.
      return .interrupted(interruption ?? .cancelled, discarding: nil)
    }
    let reply: AnyReply? = if case .answered(let reply) = event { reply } else { nil }
    if let interruption, response != .deliverResult {
      return .interrupted(interruption, discarding: reply)
    }
    if let reply { return .answered(in: reply) }
    return .dropped
  }
}
