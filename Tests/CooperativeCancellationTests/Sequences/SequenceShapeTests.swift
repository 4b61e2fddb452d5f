import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("Sequences: shapes and crossing isolation", .watchdog)
struct SequenceShapeTests {
  private struct Reply: Sendable {
    let value: Int?
    let error: SDKError?
  }

  /// Reads a sequence of values and errors, all of which come inside the registration.
  private static func read(
    _ replies: [Reply],
    line: UInt = 0
  ) async -> (values: [Int], error: (any Error)?, discarded: [Int]) {
    let discarded = Protected<[Int]>([])
    let sequence = AsyncThrowingCallbackSequence<Int>(buffering: .unbounded, line: line) {
      (yield: @escaping @Sendable (Int?, (any Error)?) -> Void) in
      for reply in replies { yield(reply.value, reply.error) }
    } onTermination: {
    } onDiscard: { value in
      discarded.withLock { $0.append(value) }
    }
    var values: [Int] = []
    do {
      // Not a loop, which calls the other `next`.
      var iterator = sequence.makeAsyncIterator()
      while let value = try await iterator.next() { values.append(value) }
      return (values, nil, discarded.withLock { $0 })
    } catch {
      return (values, error, discarded.withLock { $0 })
    }
  }

  @Test
  func `a value beside an error is discarded, after the values before it were delivered`() async {
    let (values, error, discarded) = await Self.read([
      Reply(value: 1, error: nil), Reply(value: 2, error: nil), Reply(value: 3, error: .failed),
    ])
    #expect(values == [1, 2])
    #expect(error as? SDKError == .failed)
    #expect(discarded == [3])
  }

  @Test
  func `a callback with neither a value nor an error ends the sequence and names the line`() async {
    let (values, error, _) = await Self.read(
      [Reply(value: 1, error: nil), Reply(value: nil, error: nil)],
      line: 42
    )
    #expect(values == [1])
    #expect((error as? MissingValueError)?.callSite.line == 42)
  }

  /// An actor that hands out sequences.
  private actor Radio {
    nonisolated func makeElsewhere(
      _ station: FakeStation,
      _ watch: SequenceWatch
    ) -> AsyncCallbackSequence<Song> {
      AsyncCallbackSequence(buffering: .unbounded) { yield in
        watch.subscribe(Never.self) { station.addListener(yield) }
      } onTermination: {
        watch.terminate($0)
      }
    }

    func songs(_ mast: Mast, _ watch: SequenceWatch) -> SendableCallbackSequence<Song, Never> {
      makeElsewhere(FakeStation(mast), watch).sendable()
    }
  }

  @Test
  func `a sequence made in nonisolated code runs on the actor that makes it sendable`() async {
    let radio = Radio()
    let hasEnded = Signal()
    let watch = SequenceWatch(
      inSubscribe: { radio.preconditionIsolated() },
      inTermination: {
        radio.preconditionIsolated()
        hasEnded.fire()
      }
    )
    let mast = Mast(greeting: [.play])
    for await song in await radio.songs(mast, watch) {
      #expect(song.title == "1")
      break
    }
    await hasEnded.wait()
    #expect(mast.removed == [1])
  }
}
