import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// What happens to a subscription, step by step, and what its reader receives.
struct Delivery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The forms to which it can happen.
  var forms: @Sendable (SequenceForm) -> Bool = { _ in true }
  var greetings: [Mast.Greeting] = []
  var limit = Int.max
  let steps: [SequenceStep]
  let readings: @Sendable (SequenceForm) -> [Reading]
  /// How many elements are discarded.
  var discarded = 0

  static let all =
    common + ends("a finish", .end, of: { $0.finishes }) + ends("an error", .fail, of: { $0.fails })

  private static let common = [
    Delivery(
      testDescription: "an element is not delivered to a task that is cancelled when it resumes",
      steps: [.run, .play, .cancel],
      readings: { [$0.cancelled] },
      discarded: 1
    ),
    Delivery(
      testDescription: "elements left in the buffer are discarded before the release returns",
      greetings: [.play, .play, .play],
      limit: 1,
      steps: [],
      readings: { [$0.element(1)] },
      discarded: 2
    ),
  ]

  private static func ends(
    _ end: String,
    _ step: SequenceStep,
    of forms: @escaping @Sendable (SequenceForm) -> Bool
  ) -> [Delivery] {
    [
      Delivery(
        testDescription: "elements before \(end) are delivered; what comes after is discarded",
        forms: forms,
        steps: [.run, .play, .play, step, .play, .fail, .end],
        readings: { [$0.element(1), $0.element(2), step == .end ? .end : $0.failed] },
        discarded: 1
      ),
      Delivery(
        testDescription: "\(end) with no elements before it is told, although cancelled",
        forms: forms,
        steps: [.run, step, .cancel],
        readings: { [step == .end ? .end : $0.failed] }
      ),
      Delivery(
        testDescription: "\(end) behind elements that a cancellation discards is not reached",
        forms: forms,
        steps: [.run, .play, step, .cancel],
        readings: { [$0.cancelled] },
        discarded: 1
      ),
    ]
  }
}

@Suite("Sequences: one end, prompt, check after, nothing lost", .watchdog) struct DeliveryTests {
  @Test(arguments: SequenceForm.all, Delivery.all)
  func `each element is delivered or discarded, whatever ends the sequence`(
    form: SequenceForm,
    delivery: Delivery
  ) {
    guard delivery.forms(form) else { return }
    let read = TestRead(form, Mast(greeting: delivery.greetings), limit: delivery.limit)
    read.perform(delivery.steps + [.run])
    #expect(read.readings == delivery.readings(form))
    #expect(read.watch.discarded.count == delivery.discarded * form.songsPerElement)
    #expect(read.watch.terminated == 1)
    #expect(read.watch.events.first == .subscribed)
    if delivery.steps.isEmpty { #expect(read.watch.events.last == .terminated) }
    #expect(read.mast.songsAlive.count == 0)
  }

  @Test(arguments: SequenceForm.all)
  func `an element in the buffer is not delivered to a task that was cancelled between two calls`(
    form: SequenceForm
  ) async {
    let mast = Mast(greeting: [.play, .play])
    let watch = SequenceWatch()
    let task = Task {
      let reader = form.read(FakeStation(mast), watch, nil)
      let first = await reader.next()
      withUnsafeCurrentTask { $0?.cancel() }
      return [first, await reader.next()]
    }
    #expect(await task.value == [form.element(1), form.cancelled])
    #expect(watch.discarded.count == form.songsPerElement)
    #expect(watch.terminated == 1)
  }
}
