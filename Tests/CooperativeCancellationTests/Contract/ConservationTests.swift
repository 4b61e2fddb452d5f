import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

/// Delivered + discarded = produced, whatever happens in whatever order. A failing schedule is repeated with
/// `SCHEDULE_SEED=… swift test --filter ConservationTests`; `SCHEDULE_COUNT=10000000` tries more of them.
@Suite("G5 nothing lost, in random schedules", .watchdog)
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

  /// What is allowed to happen, and what did happen often enough to mean something.
  struct Tally {
    var delivered = 0
    var discarded = 0
    var cancelled = 0
    var dropped = 0
  }

  @Test
  func `no value is lost or handed out twice, in any shape`() throws {
    let environment = ProcessInfo.processInfo.environment
    let given = environment["SCHEDULE_SEED"].flatMap { UInt64($0) }
    let first = given ?? .random(in: 0...(.max / 2))
    let many = environment["SCHEDULE_COUNT"].flatMap { UInt64($0) } ?? 100_000
    let count = given == nil ? many : 1
    print("schedules with the seeds \(first)..<\(first + count)")
    let forms = BridgeForm.all.filter(\.valueIsObject)
    var tally = Tally()
    for seed in first..<first + count {
      guard run(seed, forms, &tally) else {
        Issue.record("SCHEDULE_SEED=\(seed) repeats this")
        break
      }
    }
    print("delivered \(tally.delivered), discarded \(tally.discarded)")
    guard given == nil else { return }
    for often in [tally.delivered, tally.discarded, tally.cancelled, tally.dropped] {
      #expect(often > 500, "\(tally)")
    }
  }

  private func run(_ seed: UInt64, _ forms: [BridgeForm], _ tally: inout Tally) -> Bool {
    var random = SeededGenerator(seed: seed)
    let form = forms[Int.random(in: forms.indices, using: &random)]
    let response =
      CancellationResponse.allCases[
        Int.random(in: CancellationResponse.allCases.indices, using: &random)
      ]
    let steps = (0..<Int.random(in: 1...8, using: &random)).map { _ in
      Step.allCases[Int.random(in: Step.allCases.indices, using: &random)]
    }
    let throwsInOperation =
      form.kind == .throwing && Bool.random(using: &random)
      && Bool.random(using: &random)
    let inside: [Behavior.Answer] =
      Bool.random(using: &random)
      ? [] : [.success, .failure(.failed)].shuffled(using: &random)
    var behavior = Behavior.onDemand
    behavior.inside = Array(inside.prefix(Int.random(in: 0...2, using: &random)))
    let watch = Watch(
      response: response,
      afterSDK: { if throwsInOperation { throw SDKError.failed } }
    )
    let call = TestCall(form, behavior, watch)
    for step in steps {
      switch step {
      case .run: call.run()
      case .success: call.backend.answer()
      case .failure: call.backend.answer(.failure(.failed))
      case .halves: call.backend.answer(.halves(first: true, second: false))
      case .failureBeside:
        call.backend.answer(.failureBeside(.failed, first: false, second: true))
      // Without a value to return in its place, a wait never ends after that, and keeps what it has.
      case .drop where form.kind == .unconditional: break
      case .drop: call.backend.drop()
      case .cancel: call.cancel()
      }
    }
    call.run()
    // Whoever still waits gets an answer, unless the completion is gone.
    call.backend.answer()
    call.run()

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
    let isConserved = call.backend.valuesMade == delivered + watch.valuesDiscarded
    #expect(
      isConserved,
      """
      \(form.testDescription), \(response), inside \(behavior.inside), \(steps): \
      \(call.backend.valuesMade) produced, \(delivered) delivered, \
      \(watch.valuesDiscarded) discarded; \(String(describing: call.ending))
      """
    )
    // Whoever ended has let go of everything; the SDK still has its completion, and that has nothing.
    let isReleased = call.ending == nil || call.backend.valuesAlive == 0
    #expect(isReleased)
    return isConserved && isReleased
  }
}
