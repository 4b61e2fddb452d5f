import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Sequences: buffering and answers", .watchdog)
struct BufferingTests {
  private static func read(_ policy: BufferingPolicy, _ count: Int) -> ([String], [String]) {
    let read = TestRead(.elements, Mast(), SequenceWatch(policy))
    read.run()
    for _ in 0..<count { read.mast.play() }
    read.run()
    let received = read.received
    read.cancel()
    read.run()
    #expect(read.mast.songsAlive.count == 0)
    return (received, read.watch.discarded)
  }

  @Test
  func `newest keeps the last, in order, and discards the others`() {
    #expect(Self.read(.newest(1), 3) == (["3"], ["1", "2"]))
    #expect(Self.read(.newest(2), 5) == (["4", "5"], ["1", "2", "3"]))
    #expect(Self.read(.newest(5), 5) == (["1", "2", "3", "4", "5"], []))
  }

  @Test
  func `oldest keeps the first, in order, and discards the others`() {
    #expect(Self.read(.oldest(1), 3) == (["1"], ["2", "3"]))
    #expect(Self.read(.oldest(2), 5) == (["1", "2"], ["3", "4", "5"]))
  }

  @Test
  func `unbounded keeps all, in order`() {
    #expect(Self.read(.unbounded, 1_000) == ((1...1_000).map(String.init), []))
  }

  @Test(arguments: [0, -1, .min])
  func `a bound below one counts as one`(bound: Int) {
    #expect(Self.read(.newest(bound), 3) == (["3"], ["1", "2"]))
    #expect(Self.read(.oldest(bound), 3) == (["1"], ["2", "3"]))
  }

  @Test
  func `a ring that has been read and filled again keeps the order`() {
    let read = TestRead(.elements, Mast(), SequenceWatch(.newest(3)))
    read.run()
    for _ in 1...5 {
      for _ in 1...2 { read.mast.play() }
      read.run()
    }
    #expect(read.received == (1...10).map(String.init))
    read.cancel()
    read.run()
  }

  @Test
  func `newest of one holds one element while the producer never stops`() async {
    #if DEBUG || THREAD_SANITIZER || ADDRESS_SANITIZER
      let count = 100_000
    #else
      let count = 10_000_000
    #endif
    let source = Protected<(@Sendable (Held) -> Void)?>(nil)
    let alive = Population()
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
    private let life: Life

    init(_ population: Population) {
      life = Life(of: population)
    }
  }

  /// What an SDK is told when it yields one element after the other.
  private static func answers(
    _ policy: BufferingPolicy,
    _ count: Int
  ) async -> [YieldResult] {
    let answers = Protected<[YieldResult]>([])
    let sequence = AsyncCallbackSequence<Int>(buffering: policy) { yield in
      for number in 1...count {
        let answer = yield(number)
        answers.withLock { $0.append(answer) }
      }
    } onTermination: {
    }
    for await _ in sequence { break }
    return answers.withLock { $0 }
  }

  @Test
  func `an SDK is told how much room there is, and what was dropped`() async {
    #expect(
      await Self.answers(.oldest(2), 4) == [
        .buffered(remainingCapacity: 1), .buffered(remainingCapacity: 0), .dropped, .dropped,
      ]
    )
    #expect(
      await Self.answers(.newest(2), 3) == [
        .buffered(remainingCapacity: 1), .buffered(remainingCapacity: 0),
        .buffered(remainingCapacity: 0),
      ]
    )
    #expect(await Self.answers(.unbounded, 1) == [.buffered(remainingCapacity: .max - 1)])
  }

  @Test(arguments: SequenceForm.all.filter(\.answers), WayToEnd.allCases)
  func `an SDK is told that nobody listens anymore`(form: SequenceForm, way: WayToEnd) {
    guard way.exists(in: form), way != .release else { return }
    let kept = Mast()
    // Unregisters nothing: the SDK goes on calling.
    let read = TestRead(
      form,
      kept,
      SequenceWatch(keepsListening: true),
      limit: way == .leave ? 1 : .max
    )
    read.run()
    kept.play()
    read.run()
    #expect(kept.refusals == 0)
    switch way {
    case .finish: kept.end()
    case .failure: kept.fail()
    case .cancel: read.cancel()
    case .leave, .release: break
    }
    kept.play()
    #expect(kept.refusals == 1)
    read.run()
    kept.play()
    #expect(kept.refusals == 2)
    #expect(read.watch.discarded == ["2", "3"])
    #expect(kept.songsAlive.count == 0)
  }
}
