import CooperativeCancellation
import Testing

/// A kind of race: a bridged call, what happens to it at once, and how it may end.
struct Race: Sendable, CustomTestStringConvertible {
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
    /// Also if the answer came first, and its value was withheld.
    case cancelled
    case dropped
    case timedOut
  }

  let form: BridgeForm
  let response: CancellationResponse
  let events: [Event]
  let outcomes: Set<Outcome>

  init(
    _ events: [Event],
    of form: BridgeForm = .result,
    _ response: CancellationResponse = .abandonCallback,
    endsIn outcomes: Set<Outcome>
  ) {
    (self.form, self.response) = (form, response)
    (self.events, self.outcomes) = (events, outcomes)
  }

  var testDescription: String {
    let events = events.map { "\($0)" }.joined(separator: " against ")
    return "\(events), \(form.testDescription), \(response)"
  }

  var hasTimeout: Bool { events.contains(.timeOut) }

  private static let ofBridge: Set<Outcome> = [.notStarted, .delivered, .cancelled]

  static let all = [
    Race([.answer, .cancel], endsIn: ofBridge),
    Race([.answer, .cancel], .waitForCallback, endsIn: ofBridge),
    Race(
      [.answer, .cancel],
      .deliverResult,
      endsIn: [.notStarted, .delivered, .deliveredAfterCancellation]
    ),
    Race([.answer, .cancel], of: .fallback, endsIn: ofBridge),
    Race([.answer, .answer, .cancel], of: .continuation, endsIn: [.delivered, .cancelled]),
    Race(
      [.answer, .drop, .cancel, .timeOut],
      of: .continuation,
      endsIn: [.delivered, .cancelled, .dropped, .timedOut]
    ),
    Race([.answer, .cancel, .timeOut], .ignoreCancellation, endsIn: [.delivered, .timedOut]),
    Race([.drop, .cancel], .ignoreCancellation, endsIn: [.dropped, .delivered]),
    Race([.answer, .cancel], of: .plain, endsIn: [.delivered]),
    Race([.answer, .drop], endsIn: [.delivered, .dropped]),
    Race([.drop, .cancel], endsIn: [.notStarted, .cancelled, .dropped]),
    Race([.answer, .answer, .drop, .cancel, .release], endsIn: ofBridge.union([.dropped])),
    Race([.answer, .timeOut], endsIn: [.delivered, .timedOut]),
    Race([.cancel, .timeOut], endsIn: [.cancelled, .timedOut]),
    Race([.drop, .timeOut], endsIn: [.dropped, .timedOut]),
    Race(
      [.answer, .answer, .drop, .cancel, .release, .timeOut],
      endsIn: [.delivered, .cancelled, .dropped, .timedOut]
    ),
  ]
}

@Suite("Races on real threads", .serialized, .oneAtATime, .watchdog, .ownThread) struct RaceTests {
  @Test(arguments: Race.all)
  func `every race ends in one of its outcomes, and none is lost or left`(race: Race) {
    let count = tries(race.hasTimeout ? 500 : 10_000)
    if let failure = RaceTrack(race).run(count: count, often: 20) { Issue.record("\(failure)") }
  }
}
