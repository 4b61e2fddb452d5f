import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Synchronization
import Testing

#if canImport(Observation)
  import Observation
#endif

@Suite("TaskBag", .watchdog)
struct TaskBagTests {
  /// Waits for something that never comes, until it is cancelled.
  private static func waitForCancellation() async throws {
    try await withAsyncThrowingValue { FakeSDK(.never).save($0) }
  }

  @Test
  func `cancels its tasks when it is released, including stored ones`() async {
    let ended = Signal()
    let stored = foreverTask()
    do {
      let bag = TaskBag()
      stored.store(in: bag)
      bag.add {
        do { try await Self.waitForCancellation() } catch { ended.fire() }
      }
      #expect(bag.count == 2)
    }
    await ended.wait()
    #expect(stored.isCancelled)
  }

  // The class of the text that the bag is known from.
  final class Alpha {
    let bag = TaskBag()
    let ended: Signal

    init(ended: Signal) {
      self.ended = ended
      Task {
        do { try await TaskBagTests.waitForCancellation() } catch { ended.fire() }
      }.store(in: bag)
    }
  }

  @Test
  func `a task ends when the object that owns the bag is released`() async {
    let ended = Signal()
    _ = Alpha(ended: ended)
    await ended.wait()
  }

  @Test
  func `finished tasks leave the bag`() async throws {
    let bag = TaskBag()
    for _ in 0..<1_000 { bag.add {} }
    try await bag.waitForAll()
    #expect(bag.isEmpty)
    Task {}.store(in: bag)
    try await bag.waitForAll()
    #expect(bag.count == 0)
  }

  @Test
  func `cancelAll leaves it usable, close does not`() async throws {
    let bag = TaskBag()
    bag.add { try await Self.waitForCancellation() }
    bag.cancelAll()
    try await bag.waitForAll()
    let hasRun = Protected(false)
    #expect(bag.add { hasRun.withLock { $0 = !Task.isCancelled } })
    try await bag.waitForAll()
    #expect(hasRun.withLock { $0 })
    #expect(!bag.isClosed)
    let running = foreverTask()
    running.store(in: bag)
    bag.close()
    #expect(bag.isClosed)
    #expect(!running.isCancelled, "what runs goes on")
    bag.cancelAll()
    try await bag.waitForAll()
    let stored = foreverTask()
    stored.store(in: bag)
    #expect(stored.isCancelled)
    #expect(!bag.add { Issue.record("started by a closed bag") })
    #expect(!bag.add(id: 1) { Issue.record("started by a closed bag") })
    #expect(bag.isEmpty)
  }

  @Test
  func `an existing task can be stored under an id`() async throws {
    let bag = TaskBag()
    let (first, second, third) = (foreverTask(), foreverTask(), foreverTask())
    first.store(in: bag, id: "load")
    second.store(in: bag, id: "load")
    #expect(first.isCancelled && !second.isCancelled)
    third.store(in: bag, id: "load", ifTaken: .keep)
    #expect(third.isCancelled && !second.isCancelled)
    let beside = foreverTask().store(in: bag, id: "load", ifTaken: .runBeside)
    #expect(!beside.isCancelled)
    #expect(bag.cancel(id: "load"))
    #expect(second.isCancelled && beside.isCancelled)
    try await bag.waitForAll()
    bag.close()
    #expect(foreverTask().store(in: bag, id: 1).isCancelled)
  }

  @Test
  func `a drained bag takes no tasks, lets its own finish, and ignores cancellation`()
    async throws
  {
    let bag = TaskBag()
    let clock = ManualClock()
    let mayEnd = Signal()
    let wasCancelled = Protected<Bool?>(nil)
    bag.add {
      await mayEnd.wait()
      wasCancelled.withLock { $0 = Task.isCancelled }
    }
    let draining = Task {
      cancelThisTask()
      await bag.drain(cancellingAfter: Timeout(.seconds(10), clock: clock))
      #expect(bag.isEmpty)
    }
    try await clock.waitForSleeper(within: .watchdog)
    #expect(!bag.add { Issue.record("started by a closed bag") })
    draining.cancel()
    clock.advance(by: .seconds(9))
    mayEnd.fire()
    await draining.value
    #expect(wasCancelled.withLock { $0 } == false)
  }

  @Test(arguments: [Duration.seconds(10), .zero, .seconds(-1)])
  func `after the grace period, a drained bag cancels its tasks and waits for their end`(
    gracePeriod: Duration
  ) async throws {
    let bag = TaskBag()
    let clock = ManualClock()
    let mayEnd = Signal()
    let log = Protected<[String]>([])
    bag.add {
      try? await Self.waitForCancellation()
      log.withLock { $0.append("cancelled") }
      await mayEnd.wait()
      log.withLock { $0.append("ended") }
    }
    let draining = Task {
      await bag.drain(cancellingAfter: Timeout(gracePeriod, clock: clock))
      log.withLock { $0.append("drained") }
    }
    if gracePeriod > .zero {
      try await clock.waitForSleeper(within: .watchdog)
      clock.advance(by: gracePeriod)
    }
    while log.withLock({ $0.isEmpty }) { await Task.yield() }
    mayEnd.fire()
    await draining.value
    #expect(log.withLock { $0 } == ["cancelled", "ended", "drained"])
  }

  @Test
  func `waitForAll ends when its own task is cancelled, and the bag's tasks go on`() async {
    let bag = TaskBag()
    let running = foreverTask()
    running.store(in: bag)
    let waiting = Task { try await bag.waitForAll() }
    waiting.cancel()
    let result = await waiting.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(!running.isCancelled)
    #expect(bag.count == 1)
  }

  @Test
  func `replace cancels the old task, keep does not start the new one, runBeside runs both`()
    async throws
  {
    let bag = TaskBag()
    let log = Protected<[String]>([])
    @Sendable func run(_ name: String) async throws {
      do { try await Self.waitForCancellation() } catch {
        log.withLock { $0.append(name) }
        throw error
      }
    }
    #expect(bag.add(id: "load") { try await run("first") })
    #expect(!bag.add(id: "load", ifTaken: .keep) { try await run("never") })
    #expect(bag.count == 1)
    #expect(bag.add(id: "load", ifTaken: .runBeside) { try await run("beside") })
    #expect(bag.count == 2)
    #expect(bag.add(id: 1) { try await run("other id") })
    #expect(bag.add(id: "load", ifTaken: .replace) { try await run("last") })
    while log.withLock({ $0.count }) < 2 { await Task.yield() }
    #expect(Set(log.withLock { $0 }) == ["first", "beside"])
    #expect(bag.cancel(id: "load"))
    #expect(!bag.cancel(id: "load"), "the id is free again")
    #expect(!bag.cancel(id: "nobody"))
    while log.withLock({ $0.count }) < 3 { await Task.yield() }
    #expect(log.withLock { $0.last } == "last")
    #expect(bag.cancel(id: 1))
    try await bag.waitForAll()
  }

  @Test
  func `runBeside cancels no task`() async throws {
    let bag = TaskBag()
    let mayLook = Signal()
    let looks = Protected<[Bool]>([])
    for _ in 0..<2 {
      bag.add(id: "load", ifTaken: .runBeside) {
        await mayLook.wait()
        looks.withLock { $0.append(Task.isCancelled) }
      }
    }
    mayLook.fire()
    mayLook.fire()
    try await bag.waitForAll()
    #expect(looks.withLock { $0 } == [false, false])
  }

  @Test
  func `the end of a replaced task does not evict its successor`() async throws {
    let bag = TaskBag()
    let mayEnd = Signal()
    let oldEnded = Signal()
    bag.add(id: "load") {
      await mayEnd.wait()  // Takes its time, although it is cancelled.
      oldEnded.fire()
    }
    bag.add(id: "load") { try await Self.waitForCancellation() }
    mayEnd.fire()
    await oldEnded.wait()
    while bag.count > 1 { await Task.yield() }
    #expect(bag.cancel(id: "load"), "the successor is still there")
    try await bag.waitForAll()
  }

  @Test
  func `cancel and replace work from inside the task itself`() async throws {
    let bag = TaskBag()
    let log = Protected<[String]>([])
    bag.add(id: "self") { [weak bag] in
      #expect(bag?.cancel(id: "self") == true)
      #expect(Task.isCancelled)
      log.withLock { $0.append("cancelled") }
      bag?.add(id: "self") { log.withLock { $0.append("first successor") } }
    }
    try await bag.waitForAll()
    bag.add(id: "self") { [weak bag] in
      bag?.add(id: "self") { log.withLock { $0.append("second successor") } }
      #expect(Task.isCancelled)
    }
    try await bag.waitForAll()
    #expect(log.withLock { $0 } == ["cancelled", "first successor", "second successor"])
  }

  @Test
  func `an error goes to onError with the call site, a CancellationError does not`() async throws {
    struct Failed: Error {}
    let errors = Protected<[(String, CallSite)]>([])
    let bag = TaskBag { error, callSite in
      errors.withLock { $0.append(("\(error)", callSite)) }
    }
    bag.add { throw Failed() }
    let line: UInt = #line - 1
    bag.add { try await Self.waitForCancellation() }
    bag.cancelAll()
    try await bag.waitForAll()
    #expect(errors.withLock { $0.map(\.0) } == ["Failed()"])
    #expect(errors.withLock { $0.first?.1 } == CallSite(fileID: #fileID, line: line))

    bag.add(id: 1, line: 17) { throw CancellationError() }
    try await bag.waitForAll()
    #expect(errors.withLock { $0.last?.0 } == "CancellationError()", "nobody cancelled this task")
    #expect(errors.withLock { $0.last?.1 } == CallSite(fileID: #fileID, line: 17))
    #expect(errors.withLock { $0.last?.1 } != CallSite(fileID: "Another/File.swift", line: 17))
  }

  @Test
  func `without onError, an error is printed with its call site`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bag = TaskBag()
      bag.add(line: 7) { throw SDKError.failed }
      try await bag.waitForAll()
      bag.add(line: 8) {
        do { try await Self.waitForCancellation() } catch { throw SDKError.cancelled }
      }
      bag.cancelAll()
      try await bag.waitForAll()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("TaskBagTests.swift:7: the task added here threw: failed"))
    #expect(!text.contains("TaskBagTests.swift:8:"), "a cancelled task's error is expected")
  }

  @Test
  func `a task has not ended before its error is reported`() async throws {
    let counts = Protected<[Int]>([])
    let bag = TaskBag()
    bag.onError = { [weak bag] _, _ in counts.withLock { $0.append(bag?.count ?? -1) } }
    bag.add { throw SDKError.failed }
    try await bag.waitForAll()
    await MainActor.run { _ = bag.add { @MainActor in throw SDKError.failed } }
    try await bag.waitForAll()
    #expect(counts.withLock { $0 } == [1, 1])
  }

  @Test
  func `the bag does not keep the task-local values of the caller that stores a task`() async {
    final class Value: Sendable {}
    enum Locals {
      @TaskLocal static var value: Value?
    }
    let bag = TaskBag()
    let running = foreverTask()
    weak var value: Value?
    do {
      let strong = Value()
      value = strong
      Locals.$value.withValue(strong) { _ = running.store(in: bag) }
    }
    #expect(value == nil, "the task-local values were the caller's")
    bag.cancelAll()
    _ = await running.result
  }

  @Test
  func `a task that is not Sendable until it is stored can be stored`() async throws {
    final class Unshared {
      var number = 1
    }
    let bag = TaskBag()
    let unshared = Unshared()
    let task = Task {
      unshared.number += 1
      return unshared.number
    }.store(in: bag)
    #expect(await task.value == 2)
    try await bag.waitForAll()
  }

  @Test
  func `an error in a cancelled task is passed on`() async throws {
    let bag = TaskBag()
    let errors = Protected(0)
    bag.onError = { error, callSite in
      errors.withLock { $0 += 1 }
      #expect(Task.isCancelled)
    }
    bag.add {
      do { try await Self.waitForCancellation() } catch { throw SDKError.cancelled }
    }
    bag.cancelAll()
    try await bag.waitForAll()
    #expect(errors.withLock { $0 } == 1)
  }

  @Test
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)  // For the name of a task.
  func `tasks have the name and the priority that they are given`() async throws {
    let bag = TaskBag()
    let seen = Protected<[String]>([])
    bag.add(name: "loader", priority: .low) {
      seen.withLock { $0.append("\(Task.name ?? "") \(Task.basePriority == .low)") }
    }
    bag.add(id: 1, name: "saver", priority: .high) {
      seen.withLock { $0.append("\(Task.name ?? "") \(Task.basePriority == .high)") }
    }
    try await bag.waitForAll()
    #expect(Set(seen.withLock { $0 }) == ["loader true", "saver true"])
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)  // For the name of a task.
  private actor Library {
    let tasks = TaskBag()
    private var seen: [String] = []

    func load() async throws -> [String] {
      tasks.add(name: "loader", priority: .low) {
        self.seen.append("\(Task.name ?? "") \(Task.basePriority == .low)")
      }
      try await tasks.waitForAll()
      return seen
    }
  }

  @Test
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)  // For the name of a task.
  func `tasks of an actor have the name and the priority that they are given`() async throws {
    #expect(try await Library().load() == ["loader true"])
  }

  @Test
  func `a stored task that has ended is not cancelled`() async throws {
    let bag = TaskBag()
    let task = Task {}.store(in: bag)
    try await bag.waitForAll()
    #expect(!task.isCancelled)
  }

  @Test
  func `owner, bag, task and captured object are released, even while the task runs`() async {
    final class Captured: Sendable {}
    final class Owner: Sendable {
      let bag = TaskBag()
      func start(_ object: Captured, _ ended: Signal) {
        bag.add { [weak self] in
          do { try await TaskBagTests.waitForCancellation() } catch {}
          _ = (self, object)
          ended.fire()
        }
      }
    }
    weak var owner: Owner?
    weak var bag: TaskBag?
    weak var captured: Captured?
    let ended = Signal()
    do {
      let object = Captured()
      let strong = Owner()
      owner = strong
      bag = strong.bag
      captured = object
      strong.start(object, ended)
      #expect(owner != nil && bag != nil && captured != nil)
    }
    #expect(owner == nil && bag == nil)
    await ended.wait()
    while captured != nil { await Task.yield() }
  }
}

@Suite("TaskOwner, the view model's bag", .watchdog)
struct TaskOwnerTests {
  // As in the text that it is known from, with the superclass replaced by a protocol and a bag.
  @MainActor
  final class FeatureAViewModel: TaskOwner {
    let taskBag = TaskBag()
    func sleep() async -> Bool {
      do {
        // wait 5 seconds
        try await Task.sleep(nanoseconds: 5_000_000_000)
        return true
      } catch {
        return false
      }
    }
  }

  @MainActor
  final class FeatureAViewController {
    let viewModel = FeatureAViewModel()
    var printed: [String] = []
    let hasPrinted = Signal()

    func viewDidLoad() {
      viewModel.addTask { [weak self] in
        let success = await self?.viewModel.sleep() ?? false

        // after waiting sleeping hours, print log
        self?.printed.append("success is \(success)")
        self?.hasPrinted.fire()
      }
    }
  }

  @Test @MainActor
  func `a view model treats a taken id as its bag does`() async throws {
    let viewModel = FeatureAViewModel()
    let ended = Protected<[String]>([])
    @Sendable func run(_ name: String) async {
      try? await withAsyncThrowingValue { FakeSDK(.never).save($0) }
      ended.withLock { $0.append(name) }
    }
    viewModel.addTask(id: "load") { await run("first") }
    #expect(!viewModel.addTask(id: "load", ifTaken: .keep) { await run("never") })
    #expect(viewModel.addTask(id: "load", ifTaken: .replace) { await run("second") })
    while ended.withLock({ $0.isEmpty }) { await Task.yield() }
    #expect(viewModel.cancelTask(id: "load"))
    try await viewModel.taskBag.waitForAll()
    #expect(ended.withLock { $0 } == ["first", "second"])
  }

  @Test @MainActor
  func `a view model passes on the arguments of addTask`() async throws {
    @MainActor final class Model: TaskOwner {
      let taskBag = TaskBag()
      var priorities: [TaskPriority?] = []
    }
    let model = Model()
    let reported = Protected<[CallSite]>([])
    model.taskBag.onError = { _, callSite in reported.withLock { $0.append(callSite) } }
    model.addTask(priority: .low, fileID: "A.swift", line: 1) { @MainActor in
      model.priorities.append(Task.basePriority)
      throw SDKError.failed
    }
    model.addTask(id: 1, priority: .low, fileID: "A.swift", line: 2) { @MainActor in
      model.priorities.append(Task.basePriority)
      throw SDKError.failed
    }
    try await model.taskBag.waitForAll()
    #expect(model.priorities == [.low, .low])
    let expected: Set = [
      CallSite(fileID: "A.swift", line: 1), CallSite(fileID: "A.swift", line: 2),
    ]
    #expect(Set(reported.withLock { $0 }) == expected)
  }

  @Test
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)  // For the name of a task.
  func `a view model passes on the name of a task, and its actor`() async throws {
    let executor = HandDrivenActor()
    let model = HandDrivenModel(on: executor)
    model.addTasks()
    // Both begin on the actor: nothing has to come from another thread.
    executor.executor.runUntilIdle()
    #expect(model.names.withLock { $0 } == ["first", "second"])
    try await model.taskBag.waitForAll()
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  private final class HandDrivenModel: TaskOwner, Sendable {
    let taskBag = TaskBag()
    let names = Protected<[String]>([])
    private let actor: HandDrivenActor

    init(on actor: HandDrivenActor) {
      self.actor = actor
    }

    func addTasks() {
      actor.assumeIsolated { actor in
        addTask(name: "first") { [names] in
          actor.preconditionIsolated()
          names.withLock { $0.append(Task.name ?? "") }
        }
        addTask(id: 1, name: "second") { [names] in
          actor.preconditionIsolated()
          names.withLock { $0.append(Task.name ?? "") }
        }
      }
    }
  }

  @Test @MainActor
  func `the screen's tasks end when the screen is dismissed`() async throws {
    let screen = FeatureAViewController()
    screen.viewDidLoad()
    screen.viewModel.cancelAll()
    await screen.hasPrinted.wait()
    #expect(screen.printed == ["success is false"])
    try await screen.viewModel.taskBag.waitForAll()
  }

  #if canImport(Observation)
    @MainActor @Observable
    final class Counter: TaskOwner {
      // Sendable, so that `let` is enough: no `deinit`, no annotation.
      let taskBag = TaskBag()
      var count = 0

      func count(to limit: Int, step: Signal) {
        addTask(id: "count") { [weak self] in
          for _ in 0..<limit {
            MainActor.preconditionIsolated()
            self?.count += 1
            step.fire()
            await Task.yield()
            try checkpoint()
          }
        }
      }
    }

    @Test @MainActor
    func `an observable view model counts on the main actor until its task is cancelled`()
      async throws
    {
      let counter = Counter()
      let step = Signal()
      counter.count(to: .max, step: step)
      await step.wait()
      await step.wait()
      #expect(counter.cancelTask(id: "count"))
      try await counter.taskBag.waitForAll()
      #expect(counter.count >= 2)
      let final = counter.count
      counter.count(to: 3, step: step)
      try await counter.taskBag.waitForAll()
      #expect(counter.count == final + 3)
    }

    @Test @MainActor
    func `tasks begin on the caller's actor in the order in which they were added`() async throws {
      let bag = TaskBag()
      var order: [Int] = []
      for number in 0..<100 { bag.add { order.append(number) } }
      try await bag.waitForAll()
      #expect(order == Array(0..<100))
    }
  #endif
}
