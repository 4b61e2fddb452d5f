import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

/// Delivered + discarded = produced, in any order of events. A failing schedule is repeated with
/// `SCHEDULE_SEED=… swift test --filter ConservationTests`; `SCHEDULE_COUNT=10000000` tries more of them.
@Suite("G5 nothing lost, in random schedules", .watchdog, .ownThread)
struct ConservationTests {
  enum Step: CaseIterable {
    case run
    case success
    case failure
    case halves
    case failureBeside
    case drop
    case cancel
  }

  /// What happened, and must happen often enough to mean something.
  struct Tally {
    var delivered = 0
    var discarded = 0
    var cancelled = 0
    var dropped = 0
    /// A cancellation met a call that was waiting for its answer.
    var interrupted = 0
  }

  /// Steps, one after the other. To add a schedule, add an element to ``written``.
  struct Schedule: CustomStringConvertible {
    var form = BridgeForm.result
    var response = CancellationResponse.abandonCallback
    /// What the SDK answers before its call returns.
    var inside: [Behavior.Answer] = []
    var throwsInOperation = false
    var steps: [Step]

    static let written = [
      Schedule(steps: [.run, .success, .cancel, .run]),
      Schedule(steps: [.run, .cancel, .success, .run, .success]),
      Schedule(response: .waitForCallback, steps: [.run, .cancel, .run, .drop, .run]),
      Schedule(response: .deliverResult, steps: [.run, .cancel, .run, .failure, .success, .run]),
      Schedule(inside: [.success, .success], throwsInOperation: true, steps: [.run, .cancel]),
    ]

    var description: String {
      """
      \(form.testDescription), \(response), inside \(inside), \
      \(throwsInOperation ? "throws, " : "")\(steps)
      """
    }
  }

  @Test
  func `hand-written schedules keep the laws`() {
    var tally = Tally()
    for schedule in Schedule.written { #expect(run(schedule, &tally)) }
  }

  @Test
  func `no value is lost or delivered twice, and cancellation does what was asked, in any shape`()
    throws
  {
    let given = try number("SCHEDULE_SEED")
    let count = try given == nil ? number("SCHEDULE_COUNT") ?? 100_000 : 1
    let first = given ?? .random(in: 0...(.max / 2))
    print("\(count) schedules from the seed \(first)")
    let forms = BridgeForm.all.filter(\.valueIsObject)
    var tally = Tally()
    for seed in (0..<count).lazy.map({ first &+ $0 }) {
      guard run(Schedule(seed: seed, forms), &tally) else {
        Issue.record("SCHEDULE_SEED=\(seed) repeats this")
        break
      }
    }
    print(tally)
    guard count >= 100_000 else { return }
    for often in [
      tally.delivered, tally.discarded, tally.cancelled, tally.dropped, tally.interrupted,
    ] {
      #expect(often > 500, "\(tally)")
    }
  }

  private func number(_ variable: String) throws -> UInt64? {
    try ProcessInfo.processInfo.environment[variable].map {
      try #require(UInt64($0), "\(variable) is not a number: \($0)")
    }
  }

  private func run(_ schedule: Schedule, _ tally: inout Tally) -> Bool {
    let form = schedule.form
    var behavior = Behavior.onDemand
    behavior.inside = schedule.inside
    let watch = Watch(
      response: schedule.response,
      afterSDK: { if schedule.throwsInOperation { throw SDKError.failed } }
    )
    let call = TestCall(form, behavior, watch)
    // Whether the SDK has answered, and whether a cancellation met a call that was waiting for it.
    var isAnswered = !schedule.inside.isEmpty || schedule.throwsInOperation
    var isCancelled = false
    var isInterrupted = false
    // At the end, a call that still waits gets an answer, unless the completion is gone.
    for step in schedule.steps + [.run, .success, .run] {
      switch step {
      case .run: call.run()
      case .success: call.backend.answer()
      case .failure: call.backend.answer(.failure(.failed))
      case .halves: call.backend.answer(.halves(first: true, second: false))
      case .failureBeside:
        call.backend.answer(.failureBeside(.failed, first: false, second: true))
      // Without a fallback, a wait never ends after a drop, and keeps what it has.
      case .drop where form.kind == .unconditional: continue
      case .drop: call.backend.drop()
      case .cancel: call.cancel()
      }
      guard call.backend.counts.started == 1 || step == .cancel else { continue }
      switch step {
      case .run: break
      case .cancel: isCancelled = true
      default: isAnswered = true
      }
      if isCancelled, !isAnswered, call.backend.counts.started == 1 { isInterrupted = true }
    }

    let delivered: Int
    if case .value = call.ending {
      delivered = form.valuesPerAnswer
      tally.delivered += 1
    } else {
      delivered = 0
    }
    tally.discarded += watch.discarded
    if call.ending == .cancelled { tally.cancelled += 1 }
    if call.ending == .dropped(line: watch.line) { tally.dropped += 1 }
    if isInterrupted { tally.interrupted += 1 }
    var broken: [String] = []
    func require(_ holds: Bool, _ law: String) { if !holds { broken.append(law) } }
    require(
      call.backend.valuesMade == delivered + watch.valuesDiscarded,
      """
      \(call.backend.valuesMade) produced, but \(delivered) delivered and \
      \(watch.valuesDiscarded) discarded
      """
    )
    // The SDK still has its completion, but that keeps nothing.
    require(
      call.ending == nil || call.backend.valuesAlive == 0,
      "a call that has ended releases everything"
    )
    require(watch.forwarded == (isInterrupted ? 1 : 0), "forwarded \(watch.forwarded) times")
    if isInterrupted, form.kind == .throwing {
      require(
        (call.ending == .cancelled) == (schedule.response != .deliverResult),
        "a cancellation before the SDK's answer decides, unless the result is asked for"
      )
    }
    #expect(broken == [], "\(schedule): \(String(describing: call.ending))")
    return broken.isEmpty
  }
}

extension ConservationTests.Schedule {
  init(seed: UInt64, _ forms: [BridgeForm]) {
    var random = SeededGenerator(seed: seed)
    form = forms[Int.random(in: forms.indices, using: &random)]
    let responses = CancellationResponse.allCases
    response = responses[Int.random(in: responses.indices, using: &random)]
    steps = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      let all = ConservationTests.Step.allCases
      return all[Int.random(in: all.indices, using: &random)]
    }
    throwsInOperation =
      form.kind == .throwing && form.mayRefuse && Bool.random(using: &random)
      && Bool.random(using: &random)
    let answers: [Behavior.Answer] =
      Bool.random(using: &random)
      ? [] : [.success, .failure(.failed)].shuffled(using: &random)
    inside = Array(answers.prefix(Int.random(in: 0...2, using: &random)))
  }
}
