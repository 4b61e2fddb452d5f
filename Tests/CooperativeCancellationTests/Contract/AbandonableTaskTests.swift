import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import TaskBags
import Testing

@Suite("Tasks that can be abandoned", .watchdog) struct AbandonableTaskTests {
  private let executor = ManualExecutor()

  @Test(arguments: [false, true])
  func `an abandonable task is cancelled and not waited for, and its value is discarded`(
    timesOut: Bool
  ) async throws {
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
  func `an abandonable task does not begin if it is cancelled before`() async {
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

  private actor Worker {}
  private static let actors: [(any Actor)?] = [MainActor.shared, Worker(), nil]

  @Test(arguments: actors.indices, [nil, .seconds(0), .seconds(.nan)] as [Timeout?])
  func `a wait that is over before starts no abandonable task`(actor: Int, timeout: Timeout?) async
  {
    for isCancelled in [false, true] where isCancelled || timeout != nil {
      let call: @Sendable (isolated (any Actor)?) async -> Void = { isolation in
        if isCancelled { cancelThisTask() }
        let operations = LiveCount()
        let error = await #expect(throws: (any Error).self) {
          let operation = LiveCount.Member(of: operations)
          try await withAbandonableTask(timeout: timeout) {
            _ = isolation
            Issue.record("it begins: \(operation)")
          }
        }
        #expect(operations.count == 0, "it waits for this actor")
        #expect(isCancelled ? error is CancellationError : error is TimeoutError)
      }
      await Task { await call(Self.actors[actor]) }.value
    }
  }

  @Test(arguments: actors.indices)
  func `an abandonable task runs and discards on its closure's actor, and ends on the caller's`(
    actor: Int
  ) async {
    let (hasBegun, hasEnded) = (Signal(), Signal())
    let clock = OddClock { await hasBegun.wait() }
    let calls: @Sendable (isolated (any Actor)?) async -> Void = { isolation in
      let value = try? await withAbandonableTask {
        await Task.yield()
        isolation?.preconditionIsolated()
        return 1
      }
      #expect(value == 1)
      await #expect(throws: SDKError.failed) {
        try await withAbandonableTask {
          await Task.yield()
          throw SDKError.failed
        }
      }
      try? await withAbandonableTask(timeout: Timeout(.seconds(5), clock: clock)) {
        hasBegun.fire()
        while !Task.isCancelled { await Task.yield() }
        isolation?.preconditionIsolated()
      } onDiscard: {
        isolation?.preconditionIsolated()
        hasEnded.fire()
      }
      isolation?.preconditionIsolated()
    }
    await calls(Self.actors[actor])
    await hasEnded.wait()
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test(arguments: [false, true])
  func `an abandonable task is raised with the task that waits for it`(beforeTheCall: Bool)
    async throws
  {
    let hasBegun = Signal()
    @Sendable func becomeRaised() async {
      let isRaised = Signal()
      await withTaskPriorityEscalationHandler {
        if Task.currentPriority >= .high { isRaised.fire() }
        hasBegun.fire()
        await isRaised.wait()
      } onPriorityEscalated: { _, _ in
        isRaised.fire()
      }
    }
    let task = Task.detached(priority: .low) {
      if beforeTheCall { await becomeRaised() }
      try await withAbandonableTask { await becomeRaised() }
    }
    await hasBegun.wait()
    try await Task.detached(priority: .high) { try await task.value }.value
  }
}
