import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// User code that the bag calls or releases may call the bag. Its lock is not recursive: under it, each
/// of these would stop the process.
@Suite("TaskBag, no lock held", .watchdog)
struct TaskBagLockTests {
  /// Calls everything that takes the lock.
  private static func useEverything(of bag: TaskBag?) {
    guard let bag else { return }
    _ = (bag.count, bag.isClosed)
    bag.add {}
    bag.add(id: "other") {}
    bag.cancel(id: "another")
    bag.onError = bag.onError
  }

  /// An id that counts how often it is compared, and does something each time, and when it is hashed and released.
  /// All have the same hash.
  private final class ProbeID: Hashable, Sendable {
    private let name: String
    private let comparisons = Protected(0)
    private let whenCompared: @Sendable () -> Void
    private let whenHashedOrReleased: @Sendable () -> Void

    init(
      _ name: String = "",
      whenCompared: @escaping @Sendable () -> Void = {},
      whenHashedOrReleased: @escaping @Sendable () -> Void = {}
    ) {
      self.name = name
      self.whenCompared = whenCompared
      self.whenHashedOrReleased = whenHashedOrReleased
    }

    deinit { whenHashedOrReleased() }

    var count: Int { comparisons.withLock { $0 } }

    static func == (left: ProbeID, right: ProbeID) -> Bool {
      for id in [left, right] {
        id.comparisons.withLock { $0 += 1 }
        id.whenCompared()
      }
      return left.name == right.name
    }

    func hash(into hasher: inout Hasher) { whenHashedOrReleased() }
  }

  @Test
  func `a cancellation handler may use the bag, wherever the cancellation comes from`() async throws
  {
    let calls = Protected<[String]>([])
    for (name, cancel): (String, @Sendable (TaskBag) -> Void) in [
      ("cancel(id:)", { #expect($0.cancel(id: 1)) }),
      ("replace", { $0.add(id: 1) {} }),
      ("cancelAll()", { $0.cancelAll() }),
    ] {
      let bag = TaskBag()
      let hasBegun = Signal()
      bag.add(id: 1) { [weak bag] in
        await withTaskCancellationHandler {
          hasBegun.fire()
          while !Task.isCancelled { await Task.yield() }
        } onCancel: { [weak bag] in
          Self.useEverything(of: bag)
          calls.withLock { $0.append(name) }
        }
      }
      await hasBegun.wait()
      cancel(bag)
      try await bag.waitForAll()
    }
    #expect(calls.withLock { $0 } == ["cancel(id:)", "replace", "cancelAll()"])
  }

  @Test
  func `an id may use the bag when it is hashed, compared and destroyed`() async throws {
    for policy in TaskBag.TakenIDPolicy.allCases {
      let bag = TaskBag()
      let uses = Protected(0)
      @Sendable func id(_ number: Int) -> ProbeID {
        let use = { @Sendable [weak bag] in
          uses.withLock { $0 += 1 }
          Self.useEverything(of: bag)
        }
        return ProbeID("\(number)", whenCompared: use, whenHashedOrReleased: use)
      }
      bag.add(id: id(1)) { try await waitForCancellation() }
      bag.add(id: id(1), ifTaken: policy) { try await waitForCancellation() }
      bag.add(id: id(2)) { try await waitForCancellation() }
      #expect(bag.cancel(id: id(1)))
      #expect(!bag.cancel(id: id(3)))
      bag.add(id: id(4)) {}
      bag.cancelAll()
      try await bag.waitForAll()
      bag.add(id: id(5)) {}  // Ends by itself.
      try await bag.waitForAll()
      #expect(uses.withLock { $0 } > 12, "their code ran")
    }
  }

  private func addTasks(_ count: Int, of actor: HandDrivenActor, to bag: TaskBag) {
    actor.assumeIsolated { actor in
      for _ in 0..<count { bag.add(id: ProbeID(), ifTaken: .runAlongside) { _ = actor } }
    }
  }

  @Test(arguments: TaskBag.TakenIDPolicy.allCases)
  func `an id is compared once with each id in the bag, although their tasks end meanwhile`(
    policy: TaskBag.TakenIDPolicy
  ) async throws {
    let bag = TaskBag()
    let actor = HandDrivenActor()
    let tasks = 100
    // They end when the actor's jobs are run: when the first two ids are compared.
    addTasks(tasks, of: actor, to: bag)
    let id = ProbeID { actor.executor.runUntilIdle() }
    let isStarted = bag.add(id: id, ifTaken: policy) {}
    #expect(isStarted, "nobody has the id any more")
    #expect(id.count == (policy == .runAlongside ? 0 : tasks))
    actor.executor.runUntilIdle()
    try await bag.waitForAll()
  }

  @Test(arguments: [TaskBag.TakenIDPolicy.replace, .replaceAtOnce])
  func `a task that is cancelled while it is being added begins cancelled, or never`(
    policy: TaskBag.TakenIDPolicy
  ) async throws {
    let (bag, actor) = (TaskBag(), HandDrivenActor())
    let seen = Protected<[Bool]>([])
    func add(_ id: ProbeID) {
      actor.assumeIsolated { actor in
        _ = bag.add(id: id, ifTaken: policy) {
          _ = actor
          seen.withLock { $0.append(Task.isCancelled) }
        }
      }
    }
    addTasks(1, of: actor, to: bag)
    add(ProbeID { bag.cancelAll() })
    while bag.count > 0 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
    #expect(seen.withLock { $0 } == (policy == .replace ? [] : [true]))
  }

  @Test
  func `cancel(id:) finds a task that replaces another one meanwhile`() async throws {
    let (bag, released) = (TaskBag(), Signal())
    let other = ProbeID("other")
    bag.add(id: other) { try await waitForCancellation() }
    let ended = Protected<[String]>([])
    @Sendable func run(_ name: String) async {
      try? await waitForCancellation()
      ended.withLock { $0.append(name) }
    }
    let replace = once { [weak bag] in
      let second = OnRelease { released.fire() }
      bag?.add(id: ProbeID("wanted")) { await run("second \(second)") }
    }
    let id = ProbeID("wanted", whenCompared: replace)
    bag.add(id: id, ifTaken: .runAlongside) { await run("first") }  // Is not compared.
    #expect(bag.cancel(id: ProbeID("wanted")))
    #expect(other.count == 2, "once for cancel, once for replace; not again for cancel")
    #expect(!bag.cancel(id: ProbeID("wanted")))
    bag.cancelAll()
    try await bag.waitForAll()
    await released.wait()
    #expect(ended.withLock { $0 } == ["first"], "the second was cancelled before it began")
  }

  @Test
  func `an object that an error handler captured may use the bag when it is released`() {
    let bag = TaskBag()
    let uses = Protected(0)
    do {
      let captured = OnRelease { [weak bag] in
        Self.useEverything(of: bag)
        uses.withLock { $0 += 1 }
      }
      bag.onError = { _, _ in withExtendedLifetime(captured) {} }
    }
    bag.onError = { _, _ in }
    #expect(uses.withLock { $0 } == 1)
  }

  @Test
  func `all tasks in waitForAll are woken, and each may use the bag at once`() async throws {
    let bag = TaskBag()
    let mayEnd = Signal()
    bag.add { await mayEnd.wait() }
    let executor = ManualExecutor()
    let woken = Protected(0)
    let waiters = (0..<3).map { _ in
      Task(executorPreference: executor) { try await bag.waitForAll() }
    }
    executor.runUntilIdle()
    // Called where the wait is resumed: in the middle of the bag's own work.
    executor.onEnqueue { [weak bag] in
      _ = bag?.count
      woken.withLock { $0 += 1 }
    }
    mayEnd.fire()
    while woken.withLock({ $0 }) < 3 { await Task.yield() }
    executor.runUntilIdle()
    for waiter in waiters { try await waiter.value }
  }
}
