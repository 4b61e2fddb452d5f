import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("A wait in a test", .watchdog)
struct LimitTests {
  @Test
  func `for a task that never ends fails at its limit, and says where`() async throws {
    let (forever, end) = AsyncStream<Never>.makeStream()
    let never = Task.detached { for await _ in forever {} }
    let line: UInt = #line + 1
    let error = await #expect(throws: TimeLimitError.self) {
      try await never.value(within: .milliseconds(1))
    }
    #expect(
      "\(try #require(error))" == "\(#fileID):\(line): the task did not end within 1 millisecond."
    )
    end.finish()
  }

  @Test
  func `for a task ends when the test is cancelled`() async {
    let (forever, end) = AsyncStream<Never>.makeStream()
    let never = Task.detached { for await _ in forever {} }
    let test = Task { try await never.value(within: .watchdog) }
    test.cancel()
    await #expect(throws: CancellationError.self) { try await test.value }
    end.finish()
  }

  @Test
  func `for a task returns its value, or throws its error`() async throws {
    let value = Task { 1 }
    let error = Task<Int, any Error> { throw SDKError.failed }
    #expect(try await value.value(within: .watchdog) == 1)
    await #expect(throws: SDKError.failed) { try await error.value(within: .watchdog) }
  }

  @Test
  func `for a clock reports that nothing sleeps`() async throws {
    let clock = ManualClock()
    let error = await #expect(throws: TimeLimitError.self) {
      try await clock.waitForSleeper(within: .milliseconds(1))
    }
    #expect(try "\(#require(error))".contains("nothing began to sleep on the clock within"))
  }

  @Test
  func `on a clock does not begin in a cancelled task`() {
    let clock = ManualClock()
    let executor = ManualExecutor()
    let ended = Protected(false)
    let task = Task(executorPreference: executor) {
      await #expect(throws: CancellationError.self) {
        try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
      }
      ended.withLock { $0 = true }
    }
    task.cancel()
    executor.runUntilIdle()
    #expect(ended.withLock { $0 })
    #expect(clock.sleeperCount == 0)
  }

  @Test
  func `for a cancellation reports that there was none`() async throws {
    let request = FakeCall<Int>().record(1)
    let error = await #expect(throws: TimeLimitError.self) {
      try await request.cancelled(within: .milliseconds(1))
    }
    #expect(try "\(#require(error))".contains("the SDK was not told to cancel within"))
  }

  /// What a look takes, when the time is up but the waiting task has not had its turn yet, must not be lost.
  @Test
  func `for a call gets it, though it comes when the time is up`() async {
    let executor = ManualExecutor()
    let calls = FakeCall<Int>()
    let received = Protected<Int?>(nil)
    Task(executorPreference: executor) {
      let request = try await calls.next(within: .milliseconds(1))
      request.answer { number in received.withLock { $0 = number } }
    }
    executor.runUntilIdle()
    // Wakes the task, which has to wait for its turn.
    while executor.isIdle { await Task.yield() }
    calls.record(7)
    while received.withLock({ $0 }) == nil {
      executor.runUntilIdle()
      await Task.yield()
    }
    #expect(received.withLock { $0 } == 7)
  }
}
