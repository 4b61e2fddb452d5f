import CooperativeCancellation
import FakeCallbackSDK
import TaskBags
import Testing

/// User code that the bag calls or releases may call the bag. Under its lock, each of these would
/// stop the process.
@Suite("TaskBag, no lock held", .watchdog) struct TaskBagLockTests {
  /// Calls everything that takes the lock.
  private static func useEverything(of bag: TaskBag?) {
    guard let bag else { return }
    _ = bag.count
    bag.add {}
    bag.add(id: "other") {}
    bag.cancel(id: "another")
    bag.onError = bag.onError
  }

  /// An id that does something when it is hashed and released.
  private final class ProbeID: Hashable, Sendable {
    private let number: Int
    private let action: @Sendable () -> Void

    init(_ number: Int, _ action: @escaping @Sendable () -> Void) {
      (self.number, self.action) = (number, action)
    }

    deinit { action() }

    static func == (left: ProbeID, right: ProbeID) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) { action() }
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

  @Test func `an id may use the bag when it is hashed and released`() async throws {
    for policy in TaskBag.TakenIDPolicy.allCases {
      let bag = TaskBag()
      let uses = Protected(0)
      @Sendable func id(_ number: Int) -> ProbeID {
        ProbeID(number) { [weak bag] in
          uses.withLock { $0 += 1 }
          Self.useEverything(of: bag)
        }
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
      #expect(uses.withLock { $0 } == 14, "seven ids were hashed and released")
    }
  }

  @Test func `an object that an error handler captured may use the bag when it is released`() {
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

  @Test func `all tasks in waitForAll are woken, and each may use the bag at once`() async throws {
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
