import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// Delivered + discarded = yielded, and each subscription ends once, in any order of events. A failing
/// schedule is repeated with `SCHEDULE_SEED=… swift test --filter SequenceConservationTests`; `TRIES=100` tries more of
/// them.
@Suite("Sequences: nothing lost, in random schedules", .watchdog, .ownThread)
struct SequenceConservationTests {
  /// What may happen in a schedule.
  private enum Outcome: CaseIterable {
    case delivered
    case discarded
    case finished
    case failed
    case cancelled
    case left
  }

  private struct Schedule: CustomStringConvertible {
    let form: SequenceForm
    let policy: BufferingPolicy
    let greetings: [Mast.Greeting]
    let limit: Int
    let keepsListening: Bool
    let steps: [SequenceStep]

    init(seed: UInt64, _ forms: [SequenceForm]) {
      var random = SeededGenerator(seed: seed)
      form = forms[Int.random(in: forms.indices, using: &random)]
      let policies = [BufferingPolicy.newest(1), .newest(3), .oldest(1), .oldest(3), .unbounded]
      policy = policies[Int.random(in: policies.indices, using: &random)]
      let all = Mast.Greeting.allCases + [.play, .play]
      greetings = (0..<max(0, Int.random(in: -3...3, using: &random))).map { _ in
        all[Int.random(in: all.indices, using: &random)]
      }
      limit = Bool.random(using: &random) ? .max : Int.random(in: 1...3, using: &random)
      keepsListening = Bool.random(using: &random)
      let some = SequenceStep.all + [.play]
      steps = (0..<Int.random(in: 1...10, using: &random)).map { _ in
        some[Int.random(in: some.indices, using: &random)]
      }
    }

    var description: String {
      """
      \(form.testDescription), \(policy), greeted with \(greetings), limit \(limit), \
      \(keepsListening ? "keeps listening, " : "")\(steps)
      """
    }
  }

  @Test
  func `no element is lost or handed out twice, and each subscription ends once, in any shape`() {
    let forms = SequenceForm.all.filter(\.carriesSongs)
    playSchedules("schedules of a sequence", Outcome.allCases) { seed, split in
      run(Schedule(seed: seed, forms), &split)
    }
  }

  private func run(_ schedule: Schedule, _ split: inout Split<Outcome>) -> Bool {
    let mast = Mast(greeting: schedule.greetings)
    let watch = SequenceWatch(schedule.policy, keepsListening: schedule.keepsListening)
    let read = TestRead(schedule.form, mast, watch, limit: schedule.limit)
    // At the end, the SDK releases its remaining listeners.
    read.perform(schedule.steps + [.run, .release, .run, .play, .run])
    split[.delivered] += read.received.count
    split[.discarded] += watch.discarded.count
    switch read.readings.last {
    case .end: split[.finished] += 1
    case .failure: split[.failed] += 1
    case .cancelled: split[.cancelled] += 1
    default: split[.left] += 1
    }
    var broken: [String] = []
    func require(_ holds: Bool, _ guarantee: String) { if !holds { broken.append(guarantee) } }
    let all = read.received + watch.discarded
    require(
      all.count == mast.made && Set(all).count == all.count,
      "\(mast.made) sent, but received \(read.received) and discarded \(watch.discarded)"
    )
    require(
      read.received.compactMap { Int($0) } == read.received.compactMap { Int($0) }.sorted(),
      "received in another order: \(read.received)"
    )
    require(watch.subscribed == mast.added, "registered without `subscribe`")
    require(watch.terminated == watch.subscribed, "ended \(watch.terminated) times")
    require(mast.songsAlive.count == 0, "\(mast.songsAlive.count) songs are kept")
    #expect(broken == [], "\(schedule): \(read.readings)")
    return broken.isEmpty
  }
}
