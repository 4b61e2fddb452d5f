import CooperativeCancellation
import FakeCallbackSDK
import MallocStatistics
import Testing

private let many = tries(300_000)

/// An SDK with many listeners.
private final class Announcer: Sendable {
  typealias Listener = @Sendable (Int) -> Void

  private let listeners = Protected<[Int: Listener]>([:])
  private let count = Protected(0)

  var listenerCount: Int { listeners.withLock { $0.count } }

  func add(_ listener: @escaping Listener) -> Int {
    let number = count.withLock { count in
      count += 1
      return count
    }
    listeners.withLock { $0[number] = listener }
    return number
  }

  func remove(_ number: Int) {
    _ = listeners.withLock { $0.removeValue(forKey: number) }
  }

  /// Releases all callbacks.
  func shutDown() {
    listeners.withLock { $0 = [:] }
  }
}

@Suite("Sequences: many subscriptions", .watchdog)
struct ManySubscriptionsTests {
  /// Begins and ends that many, in each way.
  private static func beginAndEnd(_ count: Int) -> Int {
    let ended = Protected(0)
    let announcer = Announcer()
    @Sendable func sequence(_ greets: Bool) -> AsyncCallbackSequence<Int> {
      AsyncCallbackSequence(buffering: .newest(1)) { yield in
        if greets { yield(1) }
        return announcer.add(yield)
      } onTermination: { number in
        ended.withLock { $0 += 1 }
        announcer.remove(number)
      }
    }
    let executor = ManualExecutor()
    // In parts, so that the runtime need not keep them all at once.
    for _ in 0..<count / 1_000 {
      let tasks = (0..<1_000).map { number in
        Task(executorPreference: executor) {
          for await _ in sequence(number.isMultiple(of: 3)) { break }
        }
      }
      executor.runUntilIdle()
      for (number, task) in tasks.enumerated() where number % 3 == 1 { task.cancel() }
      executor.runUntilIdle()
      announcer.shutDown()
      executor.runUntilIdle()
    }
    #expect(announcer.listenerCount == 0)
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
