import CooperativeCancellation

/// A kind of race: a bridged call, what happens to it at once, and how it may end.
struct Race: Sendable {
  enum Event: CaseIterable, Sendable {
    case answer
    case drop
    case cancel
    /// The bag that has the task is released.
    case release
    /// The time is up. Races with it are slower: the library's timer is a task of the global pool.
    case timeOut
  }

  enum Outcome: CaseIterable, Sendable {
    case notStarted
    case delivered
    case deliveredAfterCancellation
    case cancelled
    case discardedByCheckAfter
    case dropped
    case timedOut
  }

  let name: String
  var form = BridgeForm.result
  var response = CancellationResponse.abandonCallback
  let events: [Event]
  let outcomes: Set<Outcome>

  var hasTimeout: Bool { events.contains(.timeOut) }

  static let all = [
    Race(
      name: "callback against cancellation",
      events: [.answer, .cancel],
      outcomes: [.notStarted, .delivered, .cancelled, .discardedByCheckAfter]
    ),
    Race(
      name: "callback against cancellation, .waitForCallback",
      response: .waitForCallback,
      events: [.answer, .cancel],
      outcomes: [.notStarted, .delivered, .cancelled, .discardedByCheckAfter]
    ),
    Race(
      name: "callback against cancellation, .deliverResult",
      response: .deliverResult,
      events: [.answer, .cancel],
      outcomes: [.notStarted, .delivered, .deliveredAfterCancellation]
    ),
    Race(
      name: "callback against cancellation, fallback",
      form: .fallback,
      events: [.answer, .cancel],
      outcomes: [.notStarted, .delivered, .cancelled, .discardedByCheckAfter]
    ),
    Race(
      name: "callback against callback against cancellation, continuation",
      form: .continuation,
      events: [.answer, .answer, .cancel],
      outcomes: [.delivered, .cancelled]
    ),
    Race(
      name: "callback against drop against cancellation against timeout, continuation in a slot",
      form: .continuationInASlot,
      events: [.answer, .drop, .cancel, .timeOut],
      outcomes: [.delivered, .cancelled, .dropped, .timedOut]
    ),
    Race(
      name: "callback against cancellation against timeout, .ignoreCancellation",
      response: .ignoreCancellation,
      events: [.answer, .cancel, .timeOut],
      outcomes: [.delivered, .timedOut]
    ),
    Race(
      name: "drop against cancellation, .ignoreCancellation",
      response: .ignoreCancellation,
      events: [.drop, .cancel],
      outcomes: [.dropped, .delivered]
    ),
    Race(
      name: "callback against cancellation, neither error nor fallback",
      form: .plain,
      events: [.answer, .cancel],
      outcomes: [.delivered]
    ),
    Race(
      name: "callback against drop",
      events: [.answer, .drop],
      outcomes: [.delivered, .dropped]
    ),
    Race(
      name: "drop against cancellation",
      events: [.drop, .cancel],
      outcomes: [.notStarted, .cancelled, .dropped]
    ),
    Race(
      name: "callback against drop against cancellation against owner release",
      events: [.answer, .answer, .drop, .cancel, .release],
      outcomes: [.notStarted, .delivered, .cancelled, .discardedByCheckAfter, .dropped]
    ),
    Race(
      name: "callback against timeout",
      events: [.answer, .timeOut],
      outcomes: [.delivered, .timedOut]
    ),
    Race(
      name: "cancellation against timeout",
      events: [.cancel, .timeOut],
      outcomes: [.cancelled, .timedOut]
    ),
    Race(
      name: "drop against timeout",
      events: [.drop, .timeOut],
      outcomes: [.dropped, .timedOut]
    ),
    Race(
      name: "callback against drop against cancellation against owner release against timeout",
      events: [.answer, .answer, .drop, .cancel, .release, .timeOut],
      outcomes: [.delivered, .cancelled, .discardedByCheckAfter, .dropped, .timedOut]
    ),
  ]
}
