import CooperativeCancellation
import FakeCallbackSDK
import Testing

#if canImport(Observation)
  import Observation
#endif

@Suite("TaskOwner, the view model's bag", .watchdog)
struct TaskOwnerTests {
  // As in the original, with the superclass replaced by a protocol and a bag.
  @MainActor
  final class FeatureAViewModel: TaskOwner {
    let taskBag = TaskBag()
    func sleep() async -> Bool {
      do {
        try await Task.sleep(for: .seconds(3600))
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
