import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@Suite("Tasks that can be abandoned", .watchdog)
struct AbandonableTaskTests {
  private let executor = ManualExecutor()

  @Test(arguments: [false, true])
  func `is cancelled and not waited for, and its value is discarded`(timesOut: Bool) async throws {
    let (begun, mayEnd, hasEnded) = (Signal(), Signal(), Signal())
    let discarded = Protected<Bool?>(nil)
    let clock = ManualClock()
    let task = Task {
      try await withAbandonableTask(timeout: Timeout(.seconds(5), clock: clock)) {
        begun.fire()
        await mayEnd.wait()
        return Task.isCancelled
      } onDiscard: { isCancelled in
        discarded.withLock { $0 = isCancelled }
        hasEnded.fire()
      }
    }
    await begun.wait()
    try await clock.waitForSleeper(within: .watchdog)
    if timesOut { clock.advance(by: .seconds(5)) } else { task.cancel() }
    let error = await #expect(throws: (any Error).self) { try await task.value }
    #expect(timesOut ? error is TimeoutError : error is CancellationError)
    #expect(discarded.withLock { $0 } == nil)
    mayEnd.fire()
    await hasEnded.wait()
    #expect(discarded.withLock { $0 } == true)
  }

  @Test
  @MainActor
  func `does not begin if it is cancelled before`() async {
    let task = Task(executorPreference: executor) { @concurrent in
      try await withAbandonableTask { @MainActor in Issue.record("it begins") }
    }
    // It waits for this actor.
    executor.runUntilIdle()
    task.cancel()
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await task.value }
    await Task { @MainActor in }.value
  }

  @Test
  @MainActor
  func `runs on the actor of the closure, and returns or throws what that does`() async throws {
    let value = try await withAbandonableTask {
      MainActor.assertIsolated()
      await Task.yield()
      return 1
    }
    #expect(value == 1)
    await #expect(throws: SDKError.failed) {
      try await withAbandonableTask {
        await Task.yield()
        throw SDKError.failed
      }
    }
  }
}
