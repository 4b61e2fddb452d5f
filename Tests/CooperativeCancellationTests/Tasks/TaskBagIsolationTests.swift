import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Where the tasks of a bag run, and what they keep alive.
@Suite("TaskBag, isolation and inheritance", .watchdog)
struct TaskBagIsolationTests {
  /// Runs the jobs of one actor when the test says so.
  private final class SerialQueue: SerialExecutor {
    private let jobs = Protected<[UnownedJob]>([])
    private let onEnqueue = Protected<[@Sendable () -> Void]>([])

    func runOnce(onEnqueue body: @escaping @Sendable () -> Void) {
      onEnqueue.withLock { $0 = [body] }
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
      let bodies = onEnqueue.withLock { bodies in
        defer { bodies = [] }
        return bodies
      }
      for body in bodies { body() }
    }

    func runUntilIdle() {
      while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
    }
  }

  private actor Connection {
    private let queue: SerialQueue
    let tasks = TaskBag()
    private(set) var order: [Int] = []
    private let ended: Signal

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init(on queue: SerialQueue, ended: Signal) {
      self.queue = queue
      self.ended = ended
    }

    func addInOrder(_ count: Int) {
      for number in 0..<count {
        tasks.add {
          self.preconditionIsolated()
          self.order.append(number)
        }
      }
    }

    func addForever() {
      tasks.add { [weak self, ended] in
        try? await withAsyncThrowingValue { FakeSDK(.never).save($0) }
        #expect(Task.isCancelled)
        _ = self
        ended.fire()
      }
    }

    /// The task is there, and ready to run, before the bag has been told.
    func cancelAllInTheMiddleOfAdding(_ seen: Protected<[Bool]>) {
      queue.runOnce { [tasks] in tasks.cancelAll() }
      tasks.add { [ended] in
        _ = self.order
        seen.withLock { $0.append(Task.isCancelled) }
        ended.fire()
      }
    }
  }

  @Test
  func `a task runs on the actor that it captures, in the order in which it was added`() async {
    let queue = SerialQueue()
    let connection = Connection(on: queue, ended: Signal())
    let executor = ManualExecutor()
    let order = Protected<[Int]?>(nil)
    Task(executorPreference: executor) {
      await connection.addInOrder(100)
      order.withLock { $0 = [] }
      let result = await connection.order
      order.withLock { $0 = result }
    }
    while order.withLock({ $0?.count }) != 100 {
      executor.runUntilIdle()
      queue.runUntilIdle()
      await Task.yield()
    }
    #expect(order.withLock { $0 } == Array(0..<100))
  }

  @Test
  func `an actor's bag cancels its tasks when the actor is released`() async {
    let ended = Signal()
    weak var released: Connection?
    do {
      let queue = SerialQueue()
      let connection = Connection(on: queue, ended: ended)
      released = connection
      let hasAdded = Protected(false)
      let adding = Task {
        await connection.addForever()
        hasAdded.withLock { $0 = true }
      }
      while !hasAdded.withLock({ $0 }) {
        queue.runUntilIdle()
        await Task.yield()
      }
      await adding.value
    }
    await ended.wait()
    while released != nil { await Task.yield() }
  }

  @Test
  func `a task that is cancelled while it is being added begins cancelled`() async {
    let queue = SerialQueue()
    let ended = Signal()
    let connection = Connection(on: queue, ended: ended)
    let seen = Protected<[Bool]>([])
    Task { await connection.cancelAllInTheMiddleOfAdding(seen) }
    while seen.withLock({ $0.isEmpty }) {
      queue.runUntilIdle()
      await Task.yield()
    }
    #expect(seen.withLock { $0 } == [true])
    await ended.wait()
  }

  @TaskLocal private static var request = "none"

  @Test
  func `a task inherits the caller's task-local values and priority`() async throws {
    let bag = TaskBag()
    let seen = Protected<[String]>([])
    await Task.detached(priority: .utility) {
      Self.$request.withValue("42") {
        _ = bag.add {
          seen.withLock { $0.append("\(Self.request) \(Task.basePriority == .utility)") }
        }
      }
    }.value
    try await bag.waitForAll()
    #expect(seen.withLock { $0 } == ["42 true"])
  }

  @Test
  func `storing a task does not raise it above the caller's priority`() async {
    let mayEnd = Signal()
    let bag = TaskBag()
    let task = Task.detached(priority: .utility) {
      Task {
        await mayEnd.wait()
        return Task.currentPriority
      }.store(in: bag)
    }
    // Not awaited: that would raise its priority. It is in the bag soon.
    while bag.isEmpty { await Task.yield() }
    mayEnd.fire()
    while !bag.isEmpty { await Task.yield() }
    #expect(await task.value.value == .utility)
  }

  @Test
  func `onError runs on the actor of the closure that threw, wherever it was added`() async throws {
    let reports = Protected(0)
    let bag = TaskBag { _, _ in
      MainActor.preconditionIsolated()
      reports.withLock { $0 += 1 }
    }
    bag.add { @MainActor in throw SDKError.failed }
    _ = await MainActor.run { bag.add { throw SDKError.failed } }
    try await bag.waitForAll()
    #expect(reports.withLock { $0 } == 2)
  }

  @Test @MainActor
  func `an owner can set an onError that captures the owner`() async throws {
    @MainActor final class Model: TaskOwner {
      let taskBag = TaskBag()
      var message = ""
      init() {
        taskBag.onError = { [weak self] error, _ in
          Task { @MainActor in self?.message = "\(error)" }
        }
      }
    }
    let model = Model()
    model.addTask { throw SDKError.failed }
    while model.message.isEmpty { await Task.yield() }
    #expect(model.message == "failed")
  }

  @Test
  func `ids of different types are different`() async throws {
    class Base: Hashable, @unchecked Sendable {
      static func == (left: Base, right: Base) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
    }
    final class Derived: Base, @unchecked Sendable {}
    let bag = TaskBag()
    @Sendable func forever() async {
      try? await withAsyncThrowingValue { FakeSDK(.never).save($0) }
    }
    bag.add(id: "x") { await forever() }
    bag.add(id: String?.none) { await forever() }
    bag.add(id: Base()) { await forever() }
    #expect(!bag.cancel(id: Optional("x")))
    #expect(!bag.cancel(id: Int?.none))
    #expect(!bag.cancel(id: Derived()))
    #expect(bag.cancel(id: "x") && bag.cancel(id: String?.none) && bag.cancel(id: Base()))
    bag.add(id: Derived() as Base) { await forever() }
    #expect(bag.cancel(id: Derived()), "an object that was passed as its superclass")
    try await bag.waitForAll()
  }
}
