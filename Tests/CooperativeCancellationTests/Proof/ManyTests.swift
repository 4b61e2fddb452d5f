import CCallbacks
import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import MallocStatistics
import PendingAnswers
import TaskBags
import Testing

private let many = max(10_000, tries(300_000))

/// Whether `malloc_bytes_in_use()` says anything: the sanitizers have allocators of their own.
#if THREAD_SANITIZER || ADDRESS_SANITIZER
  private let mallocCounts = false
#else
  private let mallocCounts = true
#endif

/// Many of each, in processes of their own, because other tests use memory too.
@Suite("Many leave nothing behind", .serialized, .watchdog, .enabled(if: mallocCounts))
struct ManyTests {
  private static func expectNothingLeft(
    of count: Int = many,
    round: () async throws -> Void
  ) async rethrows {
    try await round()  // What is allocated once.
    var left = Int.max
    // If any round leaves less than the smallest allocation for each, the rest is the allocator's.
    for _ in 1...5 where left > 8 * count {
      let before = malloc_bytes_in_use()
      try await round()
      left = malloc_bytes_in_use() - before
    }
    #expect(left <= 8 * count)
  }

  @Test func `many calls that wait at the same time and are cancelled leave nothing`() async {
    await #expect(processExitsWith: .success) {
      await Self.expectNothingLeft {
        let (executor, sdk, ended) = (ManualExecutor(), PatientSDK(), Protected(0))
        let tasks = (0..<many).map { _ in
          Task(executorPreference: executor) {
            do {
              _ = try await withAsyncThrowingValue {
                sdk.begin($0)
              } onCancel: {
                sdk.cancel()
              }
            } catch {
              ended.withLock { $0 += 1 }
            }
          }
        }
        executor.runUntilIdle()
        for task in tasks { task.cancel() }
        executor.runUntilIdle()
        #expect(ended.withLock { $0 } == many && sdk.cancels == many)
      }
    }
  }

  @Test(arguments: [1, 10_000])
  func `many calls that are answered before they time out leave nothing`(atOnce: Int) async {
    await #expect(processExitsWith: .success) { [atOnce] in
      await Self.expectNothingLeft {
        let (sdk, actor, answers) = (PatientSDK(), HandDrivenActor(), Protected(0))
        // One expectation for all rounds: thousands of failures take minutes to report.
        var isCountRight = true
        for _ in 0..<many / atOnce {
          for number in 0..<atOnce {
            Task(executorPreference: actor.executor) {
              let answer = try await Self.answer(of: sdk, number.isMultiple(of: 2) ? actor : nil)
              answers.withLock { $0 += answer }
            }
          }
          actor.executor.runUntilIdle()
          isCountRight = isCountRight && Deadlines.all.count == atOnce
          sdk.answerAll()
          actor.executor.runUntilIdle()
        }
        #expect(isCountRight && Deadlines.all.count == 0)
        #expect(answers.withLock { $0 } == many / atOnce * atOnce)
      }
    }
  }

  private static func answer(of sdk: PatientSDK, _: isolated (any Actor)?) async throws -> Int {
    try await withAsyncThrowingValue(timeout: .seconds(60)) { sdk.begin($0) }
  }

  @Test(arguments: PendingCalls<Int, Int>.TakenIDPolicy.allCases.indices)
  func `many pending calls that are answered, cancelled or fail leave nothing`(policy: Int) async {
    await #expect(processExitsWith: .success) { [policy] in
      let executor = ManualExecutor()
      var kept: [PendingCalls<Int, Int>] = []
      // At once, and each time in another object, which must give the storage for so many ids back.
      await Self.expectNothingLeft {
        let calls = PendingCalls<Int, Int>(ifTaken: .allCases[policy])
        kept.append(calls)
        let tasks = (0..<many).map { id in
          Task(executorPreference: executor) { _ = try? await calls.value(for: id) {} }
        }
        executor.runUntilIdle()
        #expect(calls.count == many)
        for id in 0..<many / 3 { calls.resume(id, returning: id) }
        for id in many / 3..<2 * many / 3 { tasks[id].cancel() }
        executor.runUntilIdle()
        // The rest, and late answers.
        for id in many / 3..<many { calls.resume(id, throwing: SDKError.failed) }
        executor.runUntilIdle()
        #expect(calls.count == 0)
      }
    }
  }

  @Test func `many subscriptions that were left, cancelled or finished leave nothing`() async {
    await #expect(processExitsWith: .success) {
      let (executor, ended) = (ManualExecutor(), Protected(0))
      @Sendable func sequence(_ mast: Mast) -> AsyncCallbackSequence<Song> {
        AsyncCallbackSequence(buffering: .newest(1)) { yield in
          FakeStation(mast).addListener(yield)
        } onTermination: { subscriber in
          ended.withLock { $0 += 1 }
          subscriber.remove()
        }
      }
      await Self.expectNothingLeft {
        ended.withLock { $0 = 0 }
        // In parts, so that the runtime need not keep them all at once.
        for _ in 0..<many / 1_000 {
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
        #expect(ended.withLock { $0 } == many / 1_000 * 1_000)
      }
    }
  }

  @Test func `many tasks of a bag leave nothing, a few at a time and in a backlog`() async {
    await #expect(processExitsWith: .success) {
      var bags: [TaskBag] = []
      try await Self.expectNothingLeft {
        let bag = TaskBag()
        bags.append(bag)
        for number in 0..<many {
          while bag.count > 100 { await Task.yield() }
          if number.isMultiple(of: 2) { bag.add {} } else { bag.add(id: number % 50) {} }
        }
        try await bag.waitForAll()
      }
      try await Self.expectNothingLeft(of: 10_000) {
        let bag = TaskBag()
        bags.append(bag)
        for id in 0..<10_000 { bag.add(id: id) { while true { try await yieldingCheckpoint() } } }
        // The last one first: the end of the storage is free long before the rest.
        bag.cancel(id: 9_999)
        while bag.count == 10_000 { await Task.yield() }
        bag.cancelAll()
        try await bag.waitForAll()
      }
    }
  }

  @Test
  func `many cancelled waits for the tasks of a bag leave nothing, although it is not empty`() async
  {
    await #expect(processExitsWith: .success) {
      let (bag, executor, running) = (TaskBag(), ManualExecutor(), foreverTask())
      running.store(in: bag)
      await Self.expectNothingLeft {
        for _ in 0..<many {
          let waiting = Task(executorPreference: executor) { try await bag.waitForAll() }
          executor.runUntilIdle()
          waiting.cancel()
          executor.runUntilIdle()
          _ = await waiting.result
        }
      }
      #expect(bag.count == 1)
      running.cancel()
    }
  }

  @Test func `many contexts that are released leave nothing, although one stays`() async {
    await #expect(processExitsWith: .success) {
      let staying = CallbackContext(isRepeating: true) { () -> Int32 in 1 }
      let before = malloc_bytes_in_use()
      for context in (0..<100_000).map({ _ in CallbackContext { (_: Int32) in } }) {
        context.release()
      }
      // All share a table, so only the first time counts. It keeps some of its storage.
      #expect(malloc_bytes_in_use() - before < 200_000)
      #expect(CallbackContext.call(staying.pointer, otherwise: Int32(0)) == 1)
    }
  }
}
