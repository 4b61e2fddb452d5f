import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import MallocStatistics
import Synchronization
import TaskBags
import Testing

private let many = tries(300_000)

/// Waits until less memory than that is in use. (A bag is empty a moment before the last tasks are destroyed.) The
/// watchdog reports a wait that does not end.
private func waitForBytesInUse(below limit: Int) async {
  while malloc_bytes_in_use() >= limit { await Task.yield() }
}

@Suite("TaskBag, many tasks and many threads", .serialized, .oneAtATime, .watchdog)
struct TaskBagRaceTests {
  @Test(.enabled(if: mallocCounts))
  func `a bag that has had many tasks holds none, and has freed its storage`() async {
    // A process of its own, because other tests use memory too.
    await #expect(processExitsWith: .success) {
      let bag = TaskBag()
      func run(_ count: Int) async throws {
        for number in 0..<count {
          while bag.count > 100 { await Task.yield() }
          if number.isMultiple(of: 2) { bag.add {} } else { bag.add(id: number % 50) {} }
        }
        try await bag.waitForAll()
      }
      try await run(1_000)  // What the runtime allocates once.
      let before = malloc_bytes_in_use()
      try await run(many)
      await waitForBytesInUse(below: before + 1_000_000)
      #expect(bag.count == 0)
    }
  }

  @Test(.enabled(if: mallocCounts))
  func `the storage of a backlog is freed`() async {
    await #expect(processExitsWith: .success) {
      let bag = TaskBag()
      let before = malloc_bytes_in_use()
      for number in 0..<20_000 {
        bag.add(id: number) { while true { try await yieldingCheckpoint() } }
      }
      let loaded = malloc_bytes_in_use()
      // The last one first: the end of the storage is free long before the rest.
      bag.cancel(id: 19_999)
      while bag.count == 20_000 { await Task.yield() }
      bag.cancelAll()
      try await bag.waitForAll()
      await waitForBytesInUse(below: before + 1_000_000)
      #expect(loaded > before + 5_000_000)
    }
  }

  @Test(.enabled(if: mallocCounts))
  func `a cancelled waitForAll is forgotten, although the bag is not empty`() async {
    await #expect(processExitsWith: .success) {
      let bag = TaskBag()
      let running = foreverTask()
      running.store(in: bag)
      func wait(_ count: Int) async {
        let executor = ManualExecutor()
        for _ in 0..<count {
          let waiting = Task(executorPreference: executor) { try await bag.waitForAll() }
          executor.runUntilIdle()
          waiting.cancel()
          executor.runUntilIdle()
          let result = await waiting.result
          #expect(throws: CancellationError.self) { try result.get() }
        }
      }
      await wait(1_000)
      let before = malloc_bytes_in_use()
      await wait(20_000)
      await waitForBytesInUse(below: before + 1_000_000)
      #expect(bag.count == 1)
      running.cancel()
    }
  }

  private enum Fate: CaseIterable {
    case finished, cancelled, cancelledByID, neverBegan
  }

  @Test
  func `add, store, cancel, replace, finish and release, from several threads at once`()
    async throws
  {
    let split = Protected(Split(of: Fate.allCases))
    let added = Atomic(0)
    /// The body of every task: ends at once, or waits for its cancellation.
    @Sendable func makeBody() -> @Sendable () async -> Void {
      added.add(1, ordering: .relaxed)
      let (waits, hasBegun) = (Bool.random(), Protected(false))
      let member = OnRelease {
        if !hasBegun.withLock({ $0 }) { split.withLock { $0[.neverBegan] += 1 } }
      }
      return {
        withExtendedLifetime(member) { hasBegun.withLock { $0 = true } }
        while waits, !Task.isCancelled { await Task.yield() }
        split.withLock { $0[waits ? .cancelled : .finished] += 1 }
      }
    }
    while split.withLock({ $0.goesOn(for: 200, often: 100) }) {
      var bag: TaskBag? = TaskBag()
      let members = Protected(bag)
      bag = nil
      raceTwo { _ in
        for _ in 0..<50 {
          // The last owner may be either thread, or a task.
          guard let bag = members.withLock({ $0 }) else { continue }
          switch Int.random(in: 0..<100) {
          case 0..<30:
            let body = makeBody()
            bag.add { await body() }
          case 30..<60:
            let policy = Bool.random() ? TaskBag.TakenIDPolicy.replace : .replaceAtOnce
            let body = makeBody()
            bag.add(id: Int.random(in: 0..<3), ifTaken: policy) { await body() }
          case 60..<75:
            let body = makeBody()
            Task { await body() }.store(in: bag)
          case 75..<95:
            if bag.cancel(id: Int.random(in: 0..<3)) {
              split.withLock { $0[.cancelledByID] += 1 }
            }
          case 95..<98:
            bag.cancelAll()
          default:
            members.withLock { $0 = nil }
          }
        }
      }
      members.withLock { $0 = nil }
      func ended() -> Int { split.withLock { $0[.finished] + $0[.cancelled] + $0[.neverBegan] } }
      while ended() < added.load(ordering: .relaxed) { await Task.yield() }
      #expect(ended() == added.load(ordering: .relaxed), "each ended once")
    }
    print("task bag raced: \(split.withLock { $0 })")
  }
}
