import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: buffering and answers", .watchdog) struct BufferingTests {
  private static let answering = SequenceForm.all.filter(\.answers)

  /// What is kept of that many elements, and what is discarded.
  private struct Bound: Sendable, CustomTestStringConvertible {
    let policy: BufferingPolicy
    let count: Int
    let kept: ClosedRange<Int>

    var testDescription: String { "\(policy) of \(count)" }
    var discarded: [Int] { (1...count).filter { !kept.contains($0) } }
  }

  private static let bounds = [
    Bound(policy: .newest(1), count: 3, kept: 3...3),
    Bound(policy: .newest(2), count: 5, kept: 4...5),
    Bound(policy: .newest(5), count: 5, kept: 1...5),
    Bound(policy: .oldest(1), count: 3, kept: 1...1),
    Bound(policy: .oldest(2), count: 5, kept: 1...2),
    Bound(policy: .unbounded, count: 1_000, kept: 1...1_000),
    // A bound below one counts as one.
    Bound(policy: .newest(0), count: 3, kept: 3...3),
    Bound(policy: .newest(.min), count: 3, kept: 3...3),
    Bound(policy: .oldest(0), count: 3, kept: 1...1),
  ]

  @Test(arguments: answering, bounds)
  private func `what the policy allows is kept, the rest discarded, and the SDK told to go on`(
    form: SequenceForm,
    bound: Bound
  ) {
    let read = TestRead(form, Mast(), SequenceWatch(bound.policy))
    read.perform([.run] + Array(repeating: .play, count: bound.count))
    #expect(read.mast.refusals == 0)
    // The first one wakes the reader, which has not taken it yet.
    #expect(read.mast.songsAlive.count == bound.kept.count)
    read.perform(.run)
    #expect(read.received == bound.kept.map(String.init))
    read.perform(.cancel, .run)
    #expect(read.watch.discarded == bound.discarded.map(String.init))
    #expect(read.mast.songsAlive.count == 0)
  }

  @Test(arguments: answering, WayToEnd.allCases)
  func `an SDK learns that no reader is left`(form: SequenceForm, way: WayToEnd) {
    guard way.exists(in: form), way != .release else { return }
    // Unregisters nothing: the SDK goes on calling.
    let watch = SequenceWatch(keepsListening: true)
    let read = TestRead(form, Mast(), watch, limit: way.limit)
    read.perform(.run, .play, .run)
    #expect(read.mast.refusals == 0)
    read.perform(way.steps + [.play])
    #expect(read.mast.refusals == 1)
    read.perform(.run, .play)
    #expect(read.mast.refusals == 2)
    #expect(watch.discarded == ["2", "3"])
    #expect(read.mast.songsAlive.count == 0)
  }
}
