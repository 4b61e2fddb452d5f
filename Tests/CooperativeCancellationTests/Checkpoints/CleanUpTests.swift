import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("withCancellationCleanUp", .watchdog)
struct CleanUpTests {
  struct Failed: Error {}
  struct CleanUpFailed: Error {}

  @Test(arguments: 0...4)
  func `cleans up once, wherever the task is cancelled, but not after the last checkpoint`(
    step: Int
  ) async {
    let log = Protected<[String]>([])
    let result = await Task {
      if step == 0 { cancelThisTask() }
      try await withCancellationCleanUp {
        for number in 1...3 {
          try checkpoint()
          if number == step { cancelThisTask() }
          log.withLock { $0.append("step \(number)") }
        }
      } cleanUp: {
        log.withLock { $0.append("clean-up") }
      }
    }.result
    let steps = ["step 1", "step 2", "step 3"].prefix(step)
    #expect(log.withLock { $0 } == steps + (step < 3 ? ["clean-up"] : []))
    if case .success = result { #expect(step >= 3) } else { #expect(step < 3) }
  }

  @Test
  func `the cancelled wait of a bridge inside runs the clean-up once`() async {
    let sdk = FakeSDK(.never)
    let backend = sdk.backend
    let cleanUps = Protected(0)
    let isWaiting = Signal()
    let task = Task {
      try await withCancellationCleanUp {
        try checkpoint()
        _ = try await withAsyncThrowingValue {
          isWaiting.fire()
          return sdk.loadUser(id: "1", completion: $0)
        } onCancel: {
          $0.cancel()
        }
      } cleanUp: {
        #expect(backend.counts.cancelled == 1, "the SDK is told before")
        cleanUps.withLock { $0 += 1 }
      }
    }
    await isWaiting.wait()
    task.cancel()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(cleanUps.withLock { $0 } == 1)
  }

  @Test
  func `a second cancellation during the clean-up changes nothing, and the clean-up may await`()
    async
  {
    let isCleaning = Signal()
    let mayGoOn = Signal()
    let log = Protected<[String]>([])
    let task = Task {
      try await withCancellationCleanUp {
        cancelThisTask()
        try checkpoint()
      } cleanUp: {
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
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(log.withLock { $0 } == ["cleaned"])
  }

  @Test(arguments: [false, true], [false, true])
  func `the clean-up runs once if the task is cancelled or the error says so`(
    isCancelled: Bool,
    errorSaysSo: Bool
  ) async {
    for cleanUpFails in [false, true] {
      let cleanUps = Protected(0)
      let result = await Task {
        try await withCancellationCleanUp {
          if isCancelled { cancelThisTask() }
          if errorSaysSo { throw CancellationError() } else { throw Failed() }
        } cleanUp: {
          await Task.yield()
          cleanUps.withLock { $0 += 1 }
          if cleanUpFails { throw CleanUpFailed() }
        }
      }.result
      let cleansUp = isCancelled || errorSaysSo
      #expect(cleanUps.withLock { $0 } == (cleansUp ? 1 : 0))
      #expect {
        try result.get()
      } throws: { error in
        if cleansUp, cleanUpFails { return error is CleanUpFailed }
        return errorSaysSo ? error is CancellationError : error is Failed
      }
    }
  }

  @Test
  func `the clean-up has the priority of the task`() async {
    let priority = Protected<TaskPriority?>(nil)
    _ = await Task.detached(priority: .low) {
      try await withCancellationCleanUp {
        cancelThisTask()
        try checkpoint()
      } cleanUp: {
        priority.withLock { $0 = Task.basePriority }
      }
    }.result
    #expect(priority.withLock { $0 } == .low)
  }

  @Test
  func `the clean-up begins on the actor, without a detour`() async {
    let actor = HandDrivenActor()
    let log = Protected<[String]>([])
    cleanUp(on: actor, log)
    actor.executor.runUntilIdle()
    #expect(log.withLock { $0.first } == "clean-up")
    // The task has left the actor to wait for it.
    while log.withLock({ $0.count }) < 2 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
  }

  private func cleanUp(on actor: HandDrivenActor, _ log: Protected<[String]>) {
    let bag = TaskBag()
    actor.assumeIsolated { actor in
      _ = bag.add {
        actor.preconditionIsolated()
        try? await withCancellationCleanUp {
          throw CancellationError()
        } cleanUp: {
          log.withLock { $0.append("clean-up") }
        }
        log.withLock { $0.append("end") }
        withExtendedLifetime(bag) {}
      }
    }
  }

  private struct File: ~Copyable {
    let name: String
  }

  @Test
  func `returns noncopyable values`() async throws {
    let file = try await withCancellationCleanUp {
      await Task.yield()
      return File(name: "later")
    } cleanUp: {
    }
    #expect(file.name == "later")
  }

  @Test
  func `the clean-up can name the executor that the task prefers`() async {
    let executor = ManualExecutor()
    let log = Protected<[String]>([])
    Task(executorPreference: executor) {
      defer { log.withLock { $0.append("ended") } }
      try await withCancellationCleanUp {
        cancelThisTask()
        try checkpoint()
      } cleanUp: {
        await withTaskExecutorPreference(executor) {
          log.withLock { $0.append("on the executor") }
          await Task.yield()
          log.withLock { $0.append("not cancelled: \(!Task.isCancelled)") }
        }
      }
    }
    // The clean-up's task begins on the pool; the rest runs here.
    while log.withLock({ $0.last }) != "ended" {
      executor.runUntilIdle()
      await Task.yield()
    }
    #expect(log.withLock { $0 } == ["on the executor", "not cancelled: true", "ended"])
  }

  @Test
  func `nested scopes clean up from the inside out, each once`() async {
    let log = Protected<[String]>([])
    let task = Task {
      try await withCancellationCleanUp {
        try await withCancellationCleanUp {
          cancelThisTask()
          try checkpoint()
        } cleanUp: {
          log.withLock { $0.append("inner") }
        }
      } cleanUp: {
        log.withLock { $0.append("outer") }
      }
    }
    _ = await task.result
    #expect(log.withLock { $0 } == ["inner", "outer"])
  }

  private actor Service {}

  private func run(_ log: Protected<[String]>, isolation: isolated any Actor) async throws {
    try await withCancellationCleanUp {
      isolation.preconditionIsolated()
      log.withLock { $0.append("body") }
      await Task.yield()
      isolation.preconditionIsolated()
      cancelThisTask()
      try checkpoint()
    } cleanUp: {
      isolation.preconditionIsolated()
      await Task.yield()
      isolation.preconditionIsolated()
      log.withLock { $0.append("clean-up") }
    }
  }

  @Test(arguments: [MainActor.shared, Service()] as [any Actor])
  func `all closures run on the caller's actor`(actor: any Actor) async {
    let log = Protected<[String]>([])
    _ = await Task { try await run(log, isolation: actor) }.result
    #expect(log.withLock { $0 } == ["body", "clean-up"])
  }
}
