import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import Synchronization
import Testing

/// A task that ends only when it is cancelled.
func foreverTask() -> Task<Void, any Error> {
  Task { try await withAsyncThrowingValue { FakeSDK(.never).save($0) } }
}

@Suite("AnyTask", .watchdog)
struct AnyTaskTests {
  // The call sites from the original's README, unchanged.
  @Test
  func `the call sites of the original compile and do what it promises`() async {
    let taskA = Task<Bool, Never> { true }
    let taskB = Task<Void, any Error> {}
    _ = (taskA, taskB)

    var tasks: [AnyTask] = []
    Task<Bool, Never> { true }.store(in: &tasks)
    Task<Void, any Error> {}.store(in: &tasks)
    Task {
      // Async task code
    }.store(in: &tasks)
    #expect(tasks.count == 3)

    var set: Set<AnyTask> = []
    Task {
      // Async task code
    }.store(in: &set)
    #expect(set.count == 1)

    let erased: AnyTask = Task {
      // Async task code
    }.erased()
    #expect(erased.options == .default)

    let task = Task {
      // Async task code
    }
    let anyTask = AnyTask(task)
    #expect(!anyTask.isCancelled)

    Task {}.store(in: &tasks, options: [.assertOnOverCancellation])
    _ = Task {}.erased(options: [])
    _ = AnyTask(Task {}, options: [])

    let stored: AnyTask = foreverTask().store(in: &tasks)
    #expect(!stored.isCancelled)
    stored.cancel()
    #expect(stored.isCancelled)
  }

  @Test
  func `is cancelled when the collection is destroyed, also without options`() async {
    let inArray = foreverTask()
    let inSet = foreverTask()
    do {
      var array: [AnyTask] = []
      var set: Set<AnyTask> = []
      inArray.store(in: &array)
      inSet.store(in: &set)
      #expect(!inArray.isCancelled && !inSet.isCancelled)
      _ = (array, set)
    }
    #expect(inArray.isCancelled && inSet.isCancelled)
    _ = await (inArray.result, inSet.result)
  }

  @Test
  func `is not cancelled by a release without the option, or after detach`() async {
    let task = foreverTask()
    do { _ = task.erased(options: []) }
    #expect(!task.isCancelled)
    do {
      var array: [AnyTask] = []
      var set: Set<AnyTask> = []
      task.store(in: &array, options: [])
      task.store(in: &set, options: [])
      _ = (array, set)
    }
    #expect(!task.isCancelled)
    do { task.erased().detach() }
    #expect(!task.isCancelled)
    do { _ = task.erased(options: .assertOnOverCancellation) }
    #expect(!task.isCancelled)
    do { _ = task.erased() }
    #expect(task.isCancelled)
    _ = await task.result
  }

  @Test
  func `the same task stored again in a set adds nothing and cancels nothing`() async {
    let task = foreverTask()
    do {
      var tasks: Set<AnyTask> = []
      let first = task.store(in: &tasks)
      let second = task.store(in: &tasks)
      #expect(tasks.count == 1)
      #expect(first === second)
      #expect(!task.isCancelled)
      #expect(AnyTask(task, options: []) == first)
      #expect(AnyTask(task, options: []).hashValue == first.hashValue)
      #expect(AnyTask(Task {}) != AnyTask(Task {}))
      #expect(AnyTask(Task {}) != AnyTask(Task { 1 }))
      tasks = []
      #expect(!task.isCancelled, "somebody still holds it")
      withExtendedLifetime((first, second)) {}
    }
    #expect(task.isCancelled, "the one that was stored is still its owner")
    _ = await task.result
  }

  @Test
  func `a task that is cancelled elsewhere is cancelled, for each of its owners`() async {
    let task = foreverTask()
    let (first, second) = (task.erased(options: []), task.erased(options: []))
    #expect(!first.isCancelled && !second.isCancelled)
    first.cancel()
    #expect(first.isCancelled && second.isCancelled && task.isCancelled)
    _ = await task.result
    let another = foreverTask()
    let owner = another.erased(options: [])
    another.cancel()
    #expect(owner.isCancelled)
    _ = await another.result
  }

  @Test
  func `a task is stored after the tasks that are already there`() {
    let tasks = [Task {}, Task {}, Task {}]
    var stored: [AnyTask] = []
    for task in tasks { task.store(in: &stored, options: []) }
    #expect(stored == tasks.map { $0.erased(options: []) })
  }

  @Test
  func `cancel is idempotent, and re-entrant from the task's own cancellation handler`() async {
    let isWaiting = Signal()
    let box = Protected<AnyTask?>(nil)
    let count = Atomic(0)
    let task = Task {
      await withTaskCancellationHandler {
        isWaiting.fire()
        _ = try? await withAsyncThrowingValue { FakeSDK(.never).save($0) }
      } onCancel: {
        count.add(1, ordering: .relaxed)
        box.withLock { $0 }?.cancel()
      }
    }
    await isWaiting.wait()
    box.withLock { $0 = task.erased() }
    box.withLock { $0 }?.cancel()
    box.withLock { $0 }?.cancel()
    await task.value
    #expect(count.load(ordering: .relaxed) == 1)
  }

  @Test(.oneAtATime, .ownThread)
  func `cancel from many threads at once cancels once`() async {
    var cancelledFirst = Split(of: [0, 1])
    while cancelledFirst.goesOn(for: 200, often: 10) {
      let handlerRuns = Atomic(0)
      let isWaiting = Signal()
      let task = Task {
        await withTaskCancellationHandler {
          isWaiting.fire()
          _ = try? await withAsyncThrowingValue { FakeSDK(.never).save($0) }
        } onCancel: {
          handlerRuns.add(1, ordering: .relaxed)
        }
      }
      await isWaiting.wait()
      let erased = task.erased()
      let winner = Protected(-1)
      raceTwo { number in
        for _ in 0..<Int.random(in: 0..<5_000) { _ = handlerRuns.load(ordering: .relaxed) }
        winner.withLock { $0 = $0 < 0 ? number : $0 }
        erased.cancel()
      }
      await task.value
      cancelledFirst[winner.withLock { $0 }] += 1
      #expect(handlerRuns.load(ordering: .relaxed) == 1)
    }
    print("AnyTask.cancel() raced, and was first on thread 0 or 1: \(cancelledFirst)")
  }

  #if DEBUG
    @Test
    func `over-cancellation stops a debug build if it is asked to`() async {
      await #expect(processExitsWith: .failure) {
        let task = Task {}.erased(options: [.assertOnOverCancellation])
        task.cancel()
        task.cancel()
      }
      await #expect(processExitsWith: .failure) {
        let task = Task {}
        task.cancel()
        task.erased(options: [.assertOnOverCancellation]).cancel()
      }
    }
  #endif

  @Test
  func `a release is not an over-cancellation`() async {
    await #expect(processExitsWith: .success) {
      do {
        let task = Task {}.erased(options: [.assertOnOverCancellation, .cancelWhenReleased])
        task.cancel()
      }
      do {
        let task = Task {}
        task.cancel()
        _ = task.erased(options: [.assertOnOverCancellation, .cancelWhenReleased])
      }
    }
  }
}
