import CooperativeCancellation
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
