import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import TaskBags
import Testing

/// Where the tasks of a bag run, and what they inherit.
@Suite("TaskBag, isolation and inheritance", .watchdog) struct TaskBagIsolationTests {
  @Test func `tasks begin on the actor that they capture, in order`() {
    let (bag, actor) = (TaskBag(), HandDrivenActor())
    let seen = Protected<[String]>([])
    actor.assumeIsolated { actor in
      for number in 0..<100 {
        bag.add {
          actor.preconditionIsolated()
          seen.withLock { $0.append("\(number)") }
        }
        bag.add(id: number) {
          actor.preconditionIsolated()
          seen.withLock { $0.append("id \(number)") }
        }
      }
    }
    // They begin on the actor: nothing has to come from another thread.
    actor.executor.runUntilIdle()
    #expect(seen.withLock { $0 } == (0..<100).flatMap { ["\($0)", "id \($0)"] })
    #expect(bag.count == 0)
  }

  typealias Operation = @isolated(any) @Sendable () async throws -> Void

  @Test func `tasks begin in order on an actor where they were not added, also beside its own`()
    async throws
  {
    let (bag, actor) = (TaskBag(), HandDrivenActor())
    let seen = Protected<[Int]>([])
    func keep(@_inheritActorContext _ body: @escaping Operation) -> Operation { body }
    /// A closure that belongs to the actor.
    func closure(_ number: Int) -> Operation {
      actor.assumeIsolated { actor in
        keep {
          actor.preconditionIsolated()
          seen.withLock { $0.append(number) }
        }
      }
    }
    func addAll() {
      for number in 0..<1_000 {
        if number % 5 == 4 {
          // On the actor, where it would begin before those that are on their way there.
          _ = actor.assumeIsolated { actor in
            bag.add {
              actor.preconditionIsolated()
              seen.withLock { $0.append(number) }
            }
          }
        } else if number % 2 == 0 {
          bag.add(operation: closure(number))
        } else {
          bag.add(id: number, operation: closure(number))
        }
      }
    }
    addAll()
    while bag.count > 0 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
    func addOnActor() {
      _ = actor.assumeIsolated { actor in
        bag.add {
          actor.preconditionIsolated()
          seen.withLock { $0.append(1_000) }
        }
      }
    }
    // All have arrived, so this one goes there directly.
    addOnActor()
    actor.executor.runUntilIdle()
    #expect(seen.withLock { $0 } == Array(0...1_000))
  }

  @Test func `a task that is added on the actor goes there directly when none is on its way there`()
  {
    var bag = BagMembersMachine<Int>()
    func travels(_ route: BagRoute) -> Bool? { bag.reserve(by: route)?.travels }
    #expect(travels(.direct) == false && travels(.onActor) == false)
    #expect(travels(.fromElsewhere) == true)
    #expect(travels(.onActor) == true && travels(.direct) == false)
    #expect(bag.reserve(BagID(1), ifTaken: .replace, by: .onActor)?.travels == true)
    for _ in 0..<3 {
      #expect(travels(.onActor) == true)
      bag.arrive()
    }
    for _ in 0..<3 { bag.arrive() }
    #expect(travels(.onActor) == false)
  }

  @Test func `tasks of the main actor begin there directly, also if they were added elsewhere`()
    async
  {
    let (bag, seen) = (TaskBag(), Protected<[Int]>([]))
    // In one job of the main actor, so none of them can begin meanwhile.
    await MainActor.run {
      let added = Gate()
      DispatchQueue.global().async {
        for number in 0..<100 {
          bag.add { @MainActor in seen.withLock { $0.append(number) } }
        }
        added.open()
      }
      added.pass()
      // The last in the main actor's queue, because the others are there already.
      Task { seen.withLock { $0.append(100) } }
    }
    while seen.withLock({ $0.count }) < 101 { await Task.yield() }
    #expect(seen.withLock { $0 } == Array(0...100))
  }

  @TaskLocal private static var request = "none"

  @Test
  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)  // For the name of a task.
  func `tasks inherit task-local values and the priority, unless they are given one`() async throws
  {
    let bag = TaskBag()
    let seen = Protected<Set<String>>([])
    let look = { @Sendable () -> Void in
      let priority = Task.basePriority.map { "\($0)" } ?? ""
      _ = seen.withLock { $0.insert("\(Task.name ?? "-") \(Self.request) \(priority)") }
    }
    await Task.detached(priority: .utility) {
      Self.$request.withValue("42") {
        bag.add { look() }
        bag.add(name: "loader", priority: .low) { look() }
        bag.add(id: 1, name: "saver", priority: .high) { look() }
      }
    }.value
    try await bag.waitForAll()
    let (utility, low, high) = (TaskPriority.utility, TaskPriority.low, TaskPriority.high)
    #expect(
      seen.withLock { $0 } == ["- 42 \(utility)", "loader 42 \(low)", "saver 42 \(high)"]
    )
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
}
