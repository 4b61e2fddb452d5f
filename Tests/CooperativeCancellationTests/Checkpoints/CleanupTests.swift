import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("withCancellationCleanup", .watchdog) struct CleanupTests {
  struct Failed: Error {}
  struct CleanupFailed: Error {}

  @Test(arguments: 0...4)
  func `the cleanup runs once, wherever the task is cancelled, but not after the last checkpoint`(
    step: Int
  ) async {
    let log = Protected<[String]>([])
    let result = await Task {
      if step == 0 { cancelThisTask() }
      try await withCancellationCleanup {
        for number in 1...3 {
          try checkpoint()
          if number == step { cancelThisTask() }
          log.withLock { $0.append("step \(number)") }
        }
      } cleanup: {
        log.withLock { $0.append("cleanup") }
      }
    }.result
    let steps = ["step 1", "step 2", "step 3"].prefix(step)
    #expect(log.withLock { $0 } == steps + (step < 3 ? ["cleanup"] : []))
    if case .success = result { #expect(step >= 3) } else { #expect(step < 3) }
  }

  @Test func `a second cancellation during the cleanup changes nothing, and the cleanup may await`()
    async
  {
    let isCleaning = Signal()
    let mayGoOn = Signal()
    let log = Protected<[String]>([])
    let task = Task {
      try await withCancellationCleanup {
        cancelThisTask()
        try checkpoint()
      } cleanup: {
        #expect(!Task.isCancelled)
        isCleaning.fire()
        await mayGoOn.wait()
        await Task.yield()
        try Task.checkCancellation()
        log.withLock { $0.append("cleaned") }
      }
    }
    await isCleaning.wait()
    task.cancel()
    mayGoOn.fire()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(log.withLock { $0 } == ["cleaned"])
  }

  @Test(arguments: [false, true], [false, true])
  func `the cleanup runs once if the task is cancelled or the error says so`(
    isCancelled: Bool,
    errorSaysSo: Bool
  ) async {
    for cleanupFails in [false, true] {
      let cleanups = Protected(0)
      let result = await Task {
        try await withCancellationCleanup {
          if isCancelled { cancelThisTask() }
          if errorSaysSo { throw CancellationError() } else { throw Failed() }
        } cleanup: {
          await Task.yield()
          cleanups.withLock { $0 += 1 }
          if cleanupFails { throw CleanupFailed() }
        }
      }.result
      let cleansUp = isCancelled || errorSaysSo
      #expect(cleanups.withLock { $0 } == (cleansUp ? 1 : 0))
      #expect {
        try result.get()
      } throws: { error in
        if cleansUp, cleanupFails { return error is CleanupFailed }
        return errorSaysSo ? error is CancellationError : error is Failed
      }
    }
  }

  @Test func `the cleanup has the priority of the task`() async {
    let priority = Protected<TaskPriority?>(nil)
    _ = await Task.detached(priority: .low) {
      try await withCancellationCleanup {
        cancelThisTask()
        try checkpoint()
      } cleanup: {
        priority.withLock { $0 = Task.basePriority }
      }
    }.result
    #expect(priority.withLock { $0 } == .low)
  }

  private struct File: ~Copyable {
    let name: String
  }

  @Test func `a body with a cleanup may return a noncopyable value`() async throws {
    let file = try await withCancellationCleanup {
      await Task.yield()
      return File(name: "later")
    } cleanup: {
    }
    #expect(file.name == "later")
  }

  private func run(_ log: Protected<[String]>, isolation: isolated any Actor) async throws {
    try await withCancellationCleanup {
      isolation.preconditionIsolated()
      log.withLock { $0.append("body") }
      cancelThisTask()
      try checkpoint()
    } cleanup: {
      isolation.preconditionIsolated()
      log.withLock { $0.append("cleanup") }
      await Task.yield()
      isolation.preconditionIsolated()
    }
  }

  @Test
  func `all closures run on the caller's actor, and the cleanup begins without a detour`() async {
    let (actor, pool, log) = (HandDrivenActor(), ManualExecutor(), Protected<[String]>([]))
    Task(executorPreference: pool) {
      try? await run(log, isolation: actor)
      log.withLock { $0.append("end") }
    }
    pool.runUntilIdle()
    actor.executor.runUntilIdle()
    #expect(log.withLock { $0 } == ["body", "cleanup"])
    // The task has left the actor to wait for it.
    while log.withLock({ $0.last }) != "end" {
      actor.executor.runUntilIdle()
      pool.runUntilIdle()
      await Task.yield()
    }
  }
}
