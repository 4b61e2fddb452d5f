import CooperativeCancellation
import FakeCallbackSDK
import TaskBags
import Testing

/// Ends only when the task is cancelled.
func waitForCancellation() async throws {
  try await withAsyncThrowingValue { FakeSDK(.never).save($0) }
}

/// A task that ends only when it is cancelled.
func foreverTask() -> Task<Void, any Error> { Task { try await waitForCancellation() } }

@Suite("AnyTask", .watchdog) struct AnyTaskTests {
  @Test func `tasks of any type are erased and stored in collections`() async {
    var tasks: [AnyTask] = []
    Task<Bool, Never> { true }.store(in: &tasks)
    Task<Void, any Error> {}.store(in: &tasks)
    var set: Set<AnyTask> = []
    Task {}.store(in: &set)
    let erased: AnyTask = Task {}.erased()
    #expect(tasks.count == 2 && set.count == 1 && !erased.isCancelled)
    let all = tasks + set + [erased, AnyTask(Task {})]
    #expect(all.allSatisfy { $0.options == .cancelOnRelease })
    let stored: AnyTask = foreverTask().store(in: &tasks)
    #expect(tasks.last === stored, "after those that are there")
    #expect(!stored.isCancelled)
    stored.cancel()
    #expect(stored.isCancelled)
  }

  @Test(arguments: [.cancelOnRelease, [], .assertOnOverCancellation] as [AnyTask.Options])
  func `an AnyTask is cancelled when it or its collection is released, if the options say so`(
    options: AnyTask.Options
  ) async {
    let tasks = (0..<3).map { _ in foreverTask() }
    do {
      var array: [AnyTask] = []
      var set: Set<AnyTask> = []
      let all = [
        tasks[0].store(in: &array, options: options), tasks[1].store(in: &set, options: options),
        tasks[2].erased(options: options),
      ]
      #expect(tasks.allSatisfy { !$0.isCancelled })
      withExtendedLifetime((array, set, all)) {}
    }
    #expect(tasks.map(\.isCancelled) == Array(repeating: options == .cancelOnRelease, count: 3))
    for task in tasks {
      task.cancel()
      _ = await task.result
    }
  }

  @Test func `the same task stored again in a set adds nothing and cancels nothing`() async {
    let task = foreverTask()
    do {
      var tasks: Set<AnyTask> = []
      let first = task.store(in: &tasks)
      let second = task.store(in: &tasks)
      #expect(tasks.count == 1)
      #expect(first === second)
      #expect(!task.isCancelled)
      let another = AnyTask(task, options: [])
      #expect(another == first && another.hashValue == first.hashValue)
      #expect(AnyTask(Task {}) != AnyTask(Task {}))
      #expect(AnyTask(Task {}) != AnyTask(Task { 1 }))
      tasks = []
      #expect(!task.isCancelled, "something still holds it")
      withExtendedLifetime((first, second)) {}
    }
    #expect(task.isCancelled, "the one that was stored is still its owner")
    _ = await task.result
  }

  @Test(arguments: [false, true])
  func `a task that is cancelled elsewhere is cancelled, for each of its owners`(
    byAnotherOwner: Bool
  ) async {
    let task = foreverTask()
    let (first, second) = (task.erased(), task.erased())
    #expect(!first.isCancelled && !second.isCancelled)
    if byAnotherOwner { first.cancel() } else { task.cancel() }
    #expect(first.isCancelled && second.isCancelled && task.isCancelled)
    _ = await task.result
  }

  @Test func `cancel may be called again in the task's own cancellation handler`() async {
    let (isWaiting, handlerRuns, box) = (Signal(), Protected(0), Protected<AnyTask?>(nil))
    let task = Task {
      await withTaskCancellationHandler {
        isWaiting.fire()
        try? await waitForCancellation()
      } onCancel: {
        handlerRuns.withLock { $0 += 1 }
        box.withLock { $0 }?.cancel()
      }
    }
    await isWaiting.wait()
    box.withLock { $0 = task.erased() }
    box.withLock { $0 }?.cancel()
    await task.value
    #expect(handlerRuns.withLock { $0 } == 1)
  }

  private static let over: ExitTest.Condition = isDebug ? .failure : .success

  @Test func `over-cancellation stops a debug build, and no other, if the options say so`() async {
    await #expect(processExitsWith: Self.over) {
      let task = Task {}.erased(options: .assertOnOverCancellation)
      task.cancel()
      task.cancel()
    }
    for _ in 0..<10 {
      await #expect(processExitsWith: Self.over) {
        let task = Task {}.erased(options: .assertOnOverCancellation)
        raceTwo { _ in task.cancel() }
      }
    }
    await #expect(processExitsWith: Self.over) {
      let task = Task {}
      task.cancel()
      task.erased(options: .assertOnOverCancellation).cancel()
    }
    await #expect(processExitsWith: Self.over) {
      Task {}.erased(options: [.cancelOnRelease, .assertOnOverCancellation]).cancel()
    }
    await #expect(processExitsWith: .success) {
      var tasks: Set<AnyTask> = []
      let task = Task {}
      for _ in 0..<2 {
        task.store(in: &tasks, options: [.cancelOnRelease, .assertOnOverCancellation])
      }
      tasks = []
      try #require(task.isCancelled)
      _ = task.erased(options: .assertOnOverCancellation)
      task.erased().cancel()
    }
  }
}
