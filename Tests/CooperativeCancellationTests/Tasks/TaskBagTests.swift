import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Synchronization
import Testing

@Suite("TaskBag", .watchdog)
struct TaskBagTests {
  /// Waits until it is cancelled.
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

  final class Model {
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
    _ = Model(ended: ended)
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
    let executor = ManualExecutor()
    let endings = Protected<[Int: Ending]>([:])
    let waiting = (0..<3).map { number in
      Task(executorPreference: executor) {
        let ending = await ending {
          try await bag.waitForAll()
          return ""
        }
        endings.withLock { $0[number] = ending }
      }
    }
    executor.runUntilIdle()
    waiting[1].cancel()
    executor.runUntilIdle()
    #expect(endings.withLock { $0 } == [1: .cancelled])
    #expect(!running.isCancelled)
    #expect(bag.count == 1)
    running.cancel()
    while endings.withLock({ $0.count }) < 3 {
      executor.runUntilIdle()
      await Task.yield()
    }
    #expect(endings.withLock { $0 } == [0: .value(""), 1: .cancelled, 2: .value("")])
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
  func `a task that captures state that is not Sendable can be stored`() async throws {
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
