import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("withCancellationCleanUp", .watchdog)
struct CleanUpTests {
  struct Failed: Error, Equatable {}

  /// A long function with a clean-up, written twice.
  final class Job: Sendable {
    let log = Protected<[String]>([])
    let cancelsAtStep: Int

    init(cancelsAtStep: Int) {
      self.cancelsAtStep = cancelsAtStep
    }

    func note(_ event: String) {
      log.withLock { $0.append(event) }
    }

    private func step(_ number: Int) async {
      if number == cancelsAtStep { cancelThisTask() }
      note("step \(number)")
    }

    // The usual advice: check, clean up, return; work; check, clean up, return; …
    func byHand() async {
      if cancelsAtStep == 0 { cancelThisTask() }
      do {
        try Task.checkCancellation()
      } catch {
        note("clean-up")
        return
      }
      await step(1)
      do {
        try Task.checkCancellation()
      } catch {
        note("clean-up")
        return
      }
      await step(2)
      do {
        try Task.checkCancellation()
      } catch {
        note("clean-up")
        return
      }
      await step(3)
    }

    // The work and nothing else.
    func withCheckpoints() async throws {
      if cancelsAtStep == 0 { cancelThisTask() }
      try await withCancellationCleanUp {
        try checkpoint()
        await step(1)
        try checkpoint()
        await step(2)
        try checkpoint()
        await step(3)
      } cleanUp: {
        self.note("clean-up")
      }
    }
  }

  @Test(arguments: 0...4)
  func `cleans up once, like the hand-written checks, wherever the task is cancelled`(step: Int)
    async
  {
    let old = Job(cancelsAtStep: step)
    await Task { await old.byHand() }.value
    let new = Job(cancelsAtStep: step)
    let result = await Task { try await new.withCheckpoints() }.result
    #expect(new.log.withLock { $0 } == old.log.withLock { $0 })
    let cleanUps = new.log.withLock { $0.filter { $0 == "clean-up" }.count }
    // A cancellation in the last step, or none, comes after the last checkpoint.
    #expect(cleanUps == (step < 3 ? 1 : 0))
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

  @Test
  func `the clean-up runs once, and its error is thrown instead`() async {
    let cleanUps = Protected(0)
    let task = Task {
      try withCancellationCleanUp {
        cancelThisTask()
        try checkpoint()
      } cleanUp: {
        cleanUps.withLock { $0 += 1 }
        throw Failed()
      }
    }
    let result = await task.result
    #expect(throws: Failed()) { try result.get() }
    #expect(cleanUps.withLock { $0 } == 1)
  }

  @Test(arguments: [false, true])
  func `after another error, the clean-up runs only if the task is cancelled`(
    cancelled: Bool
  ) async {
    let cleanUps = Protected(0)
    let task = Task {
      try withCancellationCleanUp {
        if cancelled { cancelThisTask() }
        throw Failed()
      } cleanUp: {
        cleanUps.withLock { $0 += 1 }
      }
    }
    let result = await task.result
    #expect(throws: Failed()) { try result.get() }
    #expect(cleanUps.withLock { $0 } == (cancelled ? 1 : 0))
  }

  @Test
  func `after another error, a clean-up that awaits runs only if the task is cancelled`() async {
    for cancelled in [false, true] {
      let cleanUps = Protected(0)
      let task = Task {
        try await withCancellationCleanUp {
          if cancelled { cancelThisTask() }
          throw Failed()
        } cleanUp: {
          await Task.yield()
          cleanUps.withLock { $0 += 1 }
        }
      }
      let result = await task.result
      #expect(throws: Failed()) { try result.get() }
      #expect(cleanUps.withLock { $0 } == (cancelled ? 1 : 0))
    }
  }

  @Test
  func `an SDK's own cancellation runs the clean-up although the task is not cancelled`() async {
    let cleanUps = Protected(0)
    #expect(throws: CancellationError.self) {
      try withCancellationCleanUp {
        throw CancellationError()
      } cleanUp: {
        cleanUps.withLock { $0 += 1 }
      }
    }
    await #expect(throws: CancellationError.self) {
      try await withCancellationCleanUp {
        throw CancellationError()
      } cleanUp: {
        await Task.yield()
        cleanUps.withLock { $0 += 1 }
      }
    }
    #expect(cleanUps.withLock { $0 } == 2)
  }

  @Test
  func `in an asynchronous function, a clean-up that does not await also runs uncancelled`() async {
    let log = Protected<[Bool]>([])
    let result = await Task {
      try await withCancellationCleanUp {
        cancelThisTask()
        try checkpoint()
      } cleanUp: {
        log.withLock { $0.append(Task.isCancelled) }
      }
    }.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(log.withLock { $0 } == [false])
  }

  @Test
  func `in a synchronous function, the clean-up runs in the cancelled task`() async {
    let log = Protected<[Bool]>([])
    @Sendable func work() throws {
      try withCancellationCleanUp {
        cancelThisTask()
        try checkpoint()
      } cleanUp: {
        log.withLock { $0.append(Task.isCancelled) }
      }
    }
    _ = await Task { try work() }.result
    #expect(log.withLock { $0 } == [true])
  }

  @Test
  func `the synchronous scope does not clean up after success, even in a cancelled task`() async {
    let cleanUps = Protected(0)
    @Sendable func work() throws -> Int {
      try withCancellationCleanUp {
        cancelThisTask()
        return 1
      } cleanUp: {
        cleanUps.withLock { $0 += 1 }
      }
    }
    let result = await Task { try work() }.result
    #expect((try? result.get()) == 1)
    #expect(cleanUps.withLock { $0 } == 0)
  }

  @Test
  func `an error from the asynchronous clean-up is thrown instead`() async {
    let result = await Task {
      try await withCancellationCleanUp {
        cancelThisTask()
        try checkpoint()
      } cleanUp: {
        await Task.yield()
        throw Failed()
      }
    }.result
    #expect(throws: Failed()) { try result.get() }
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
  func `both forms return noncopyable values`() async throws {
    func open() throws -> File {
      try withCancellationCleanUp {
        File(name: "now")
      } cleanUp: {
      }
    }
    let now = try open()
    #expect(now.name == "now")
    let later = try await withCancellationCleanUp {
      await Task.yield()
      return File(name: "later")
    } cleanUp: {
    }
    #expect(later.name == "later")
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
      try withCancellationCleanUp {
        try withCancellationCleanUp {
          cancelThisTask()
          try checkpoint { log.withLock { $0.append("checkpoint") } }
        } cleanUp: {
          log.withLock { $0.append("inner") }
        }
      } cleanUp: {
        log.withLock { $0.append("outer") }
      }
    }
    _ = await task.result
    #expect(log.withLock { $0 } == ["checkpoint", "inner", "outer"])
  }

  @Test
  func `synchronous code has the same scope`() async {
    let log = Protected<[String]>([])
    func work(cancelled: Bool) throws -> Int {
      try withCancellationCleanUp {
        if cancelled { cancelThisTask() }
        try checkpoint()
        return 1
      } cleanUp: {
        log.withLock { $0.append("cleaned") }
      }
    }
    let kept = await Task { try work(cancelled: false) }.result
    #expect((try? kept.get()) == 1)
    #expect(log.withLock { $0 } == [])
    let cancelled = await Task { try work(cancelled: true) }.result
    #expect(throws: CancellationError.self) { try cancelled.get() }
    #expect(log.withLock { $0 } == ["cleaned"])
  }

  @MainActor final class ViewModel {
    var log: [String] = []

    func run() async throws {
      try await withCancellationCleanUp {
        MainActor.preconditionIsolated()
        log.append("body")
        await Task.yield()
        MainActor.preconditionIsolated()
        cancelThisTask()
        try checkpoint {
          MainActor.preconditionIsolated()
          log.append("in place")
        }
      } cleanUp: { [self] in
        MainActor.preconditionIsolated()
        await Task.yield()
        MainActor.preconditionIsolated()
        log.append("clean-up")
      }
    }

    func runCheckpoint() async throws {
      cancelThisTask()
      try await checkpoint { [self] in
        MainActor.preconditionIsolated()
        await Task.yield()
        log.append("slowly")
      }
    }
  }

  actor Service {
    var log: [String] = []

    func run() async throws {
      try await withCancellationCleanUp {
        preconditionIsolated()
        log.append("body")
        await Task.yield()
        preconditionIsolated()
        cancelThisTask()
        try checkpoint()
      } cleanUp: { [self] in
        preconditionIsolated()
        await Task.yield()
        preconditionIsolated()
        log.append("clean-up")
      }
    }
  }

  @Test @MainActor
  func `all closures run on the caller's actor`() async {
    let model = ViewModel()
    _ = await Task { try await model.run() }.result
    #expect(model.log == ["body", "in place", "clean-up"])
    _ = await Task { try await model.runCheckpoint() }.result
    #expect(model.log.last == "slowly")
    let service = Service()
    _ = await Task { try await service.run() }.result
    #expect(await service.log == ["body", "clean-up"])
  }
}
