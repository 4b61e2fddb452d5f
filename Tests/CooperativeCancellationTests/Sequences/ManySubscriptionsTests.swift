import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import MallocStatistics
import Testing

private let many = tries(300_000)

@Suite("Sequences: many subscriptions", .watchdog)
struct ManySubscriptionsTests {
  /// Begins and ends that many, in each way.
  private static func beginAndEnd(_ count: Int) -> Int {
    let ended = Protected(0)
    @Sendable func sequence(_ mast: Mast) -> AsyncCallbackSequence<Song> {
      AsyncCallbackSequence(buffering: .newest(1)) { yield in
        FakeStation(mast).addListener(yield)
      } onTermination: { subscriber in
        ended.withLock { $0 += 1 }
        subscriber.remove()
      }
    }
    let executor = ManualExecutor()
    // In parts, so that the runtime need not keep them all at once.
    for _ in 0..<count / 1_000 {
      let masts = [Mast(greeting: [.play]), Mast(), Mast()]
      let tasks = (0..<1_000).map { number in
        Task(executorPreference: executor) {
          for await _ in sequence(masts[number % 3]) { break }
        }
      }
      executor.runUntilIdle()
      for (number, task) in tasks.enumerated() where number % 3 == 1 { task.cancel() }
      executor.runUntilIdle()
      masts[2].release()
      executor.runUntilIdle()
      #expect(masts.allSatisfy { $0.listenerCount == 0 })
    }
    return ended.withLock { $0 }
  }

  @Test
  func `many subscriptions that were left, cancelled or finished leave nothing behind`()
    async
  {
    // A process of its own, because other tests use memory too.
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      #expect(ManySubscriptionsTests.beginAndEnd(10_000) == 10_000)
      var left = Int.max
      // If any round leaves less than the smallest allocation for each, the rest is the allocator's.
      for _ in 1...3 where left > 8 * many {
        let before = malloc_bytes_in_use()
        let clock = ContinuousClock()
        let begin = clock.now
        #expect(ManySubscriptionsTests.beginAndEnd(many) == many)
        left = malloc_bytes_in_use() - before
        print(
          "\(many) subscriptions begun and ended in \(begin.duration(to: clock.now)), \(left) bytes left"
        )
      }
      if mallocCounts { #expect(left <= 8 * many) }
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }
}
