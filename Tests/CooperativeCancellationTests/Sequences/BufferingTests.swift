import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: buffering and answers", .watchdog)
struct BufferingTests {
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
    Bound(policy: .oldest(-1), count: 3, kept: 1...1),
  ]

  @Test(arguments: bounds)
  private func `the buffer keeps what its policy allows, in order, and discards the others`(
    bound: Bound
  ) {
    let read = TestRead(.elements, Mast(), SequenceWatch(bound.policy))
    read.perform([.run] + Array(repeating: .play, count: bound.count) + [.run])
    #expect(read.received == bound.kept.map(String.init))
    read.perform(.cancel, .run)
    #expect(read.watch.discarded == bound.discarded.map(String.init))
    #expect(read.mast.songsAlive.count == 0)
  }

  @Test
  func `newest of one holds one element while the producer never stops`() async {
    let count = tries(2_000_000)
    let source = Protected<(@Sendable (Held) -> Void)?>(nil)
    let alive = LiveCount()
    let discarded = Protected(0)
    let sequence = AsyncCallbackSequence<Held>(buffering: .newest(1)) { yield in
      source.withLock { $0 = yield }
      yield(Held(alive))
    } onTermination: {
    } onDiscard: { _ in
      discarded.withLock { $0 += 1 }
    }
    var iterator = sequence.makeAsyncIterator()
    #expect(await iterator.next() != nil)
    let yield = source.withLock { $0.take() }
    var most = 0
    for _ in 0..<count {
      yield?(Held(alive))
      most = max(most, alive.count)
    }
    #expect(most == 1, "the one in the buffer")
    #expect(discarded.withLock { $0 } == count - 1)
    #expect(await iterator.next() != nil)
  }

  private final class Held: Sendable {
    private let member: LiveCount.Member

    init(_ liveCount: LiveCount) {
      member = LiveCount.Member(of: liveCount)
    }
  }

  @Test(arguments: [BufferingPolicy.newest(2), .oldest(2), .unbounded])
  func `an SDK is told to go on, also when an element does not fit`(
    policy: BufferingPolicy
  ) async {
    let answers = Protected<[Bool]>([])
    let sequence = AsyncCallbackSequence<Int>(buffering: policy) { yield in
      for number in 1...4 {
        let answer: Bool = yield(number)
        answers.withLock { $0.append(answer) }
      }
    } onTermination: {
    }
    for await _ in sequence { break }
    #expect(answers.withLock { $0 } == [true, true, true, true])
  }

  @Test(arguments: SequenceForm.all.filter(\.answers), WayToEnd.allCases)
  func `an SDK is told that nobody listens anymore`(form: SequenceForm, way: WayToEnd) {
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
