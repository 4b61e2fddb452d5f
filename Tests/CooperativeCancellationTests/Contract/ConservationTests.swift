import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Delivered + discarded = produced, in any order of events. A failing schedule is repeated with
/// `SCHEDULE_SEED=… swift test --filter ConservationTests`; `TRIES=100` tries more of them.
@Suite("Nothing lost, in random schedules", .watchdog, .ownThread)
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

  /// What may happen in a schedule.
  enum Outcome: CaseIterable {
    case delivered
    case discarded
    case cancelled
    case dropped
    /// A cancellation met a call that was waiting for its answer.
    case interrupted
  }

  struct Schedule: CustomStringConvertible {
    let form: BridgeForm
    let response: CancellationResponse
    /// What the SDK answers before its call returns.
    let inside: [Behavior.Answer]
    let throwsInOperation: Bool
    let steps: [Step]

    init(seed: UInt64, _ forms: [BridgeForm]) {
      var random = SeededGenerator(seed: seed)
      form = forms[Int.random(in: forms.indices, using: &random)]
      let responses = CancellationResponse.allCases
      response = responses[Int.random(in: responses.indices, using: &random)]
      steps = (0..<Int.random(in: 1...8, using: &random)).map { _ in
        Step.allCases[Int.random(in: Step.allCases.indices, using: &random)]
      }
      throwsInOperation =
        form.kind == .throwing && Bool.random(using: &random)
        && Bool.random(using: &random)
      let answers: [Behavior.Answer] =
        Bool.random(using: &random)
        ? [] : [.success, .failure(.failed)].shuffled(using: &random)
      inside = Array(answers.prefix(Int.random(in: 0...2, using: &random)))
    }

    var description: String {
      """
      \(form.testDescription), \(response), inside \(inside), \
      \(throwsInOperation ? "throws, " : "")\(steps)
      """
    }
  }

  @Test
  func `no value is lost or delivered twice, and cancellation does what was asked, in any shape`() {
    let forms = BridgeForm.all.filter(\.carriesValue)
    let given = environmentCount("SCHEDULE_SEED")
    var seed = given ?? .random(in: 0...(.max / 2))
    print("schedules from the seed \(seed)")
    var split = Split(of: given == nil ? Outcome.allCases : [])
    while split.goesOn(for: given == nil ? tries(100_000) : 1, often: 500) {
      guard run(Schedule(seed: seed, forms), &split) else {
        Issue.record("SCHEDULE_SEED=\(seed) repeats this")
        break
      }
      seed &+= 1
    }
    print(split)
  }

  private func run(_ schedule: Schedule, _ split: inout Split<Outcome>) -> Bool {
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
    let heeds = schedule.response.heeds && form.kind != .unconditional
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
      if heeds, isCancelled, !isAnswered, call.backend.counts.started == 1 { isInterrupted = true }
    }

    let delivered: Int
    if case .value = call.ending {
      delivered = form.valuesPerAnswer
      split[.delivered] += 1
    } else {
      delivered = 0
    }
    split[.discarded] += watch.discarded
    if call.ending == .cancelled { split[.cancelled] += 1 }
    if call.ending == .dropped(line: watch.line) { split[.dropped] += 1 }
    if isInterrupted { split[.interrupted] += 1 }
    var broken: [String] = []
    func require(_ holds: Bool, _ guarantee: String) { if !holds { broken.append(guarantee) } }
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
    require(heeds || call.ending != .cancelled, "a cancellation is ignored if that is asked for")
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
