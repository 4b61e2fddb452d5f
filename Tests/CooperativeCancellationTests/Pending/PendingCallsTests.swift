import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What is special about calls whose answers come by id.
@Suite("Pending calls", .watchdog)
struct PendingCallsTests {
  private let calls = PendingCalls<Int, String>()
  private let executor = ManualExecutor()

  /// Begins a call in a task of its own, and runs it until it sleeps.
  private func begin(_ id: Int) -> Task<String, any Error> {
    defer { executor.runUntilIdle() }
    return Task(executorPreference: executor) { [calls] in try await calls.value(for: id) {} }
  }

  private func result(of task: Task<String, any Error>) async -> Result<String, any Error> {
    executor.runUntilIdle()
    return await task.result
  }

  @Test
  func `a value that a call took and does not return is discarded on the caller's actor`() async {
    let discarded = Protected<[String]>([])
    let task = Task { @MainActor [calls] in
      try await calls.value(for: 1, whenCancelled: .waitForCallback) {
        withUnsafeCurrentTask { $0?.cancel() }
      } onCancel: {
        Task.detached { #expect(calls.resume(1, returning: "late")) }
      } onDiscard: { value in
        MainActor.assertIsolated()
        discarded.withLock { $0.append(value) }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(discarded.withLock { $0 } == ["late"])
  }

  @Test
  func `an id that is taken is refused before the SDK is called`() async throws {
    let task = begin(1)
    let line = Reports.shared.uniqueLine()
    let error = await #expect(throws: AlreadyPendingError.self) {
      try await calls.value(for: 1, line: line) { Issue.record("the SDK is called") }
    }
    #expect(error?.callSite.line == line)
    #expect(error.map { "\($0)" }?.contains("ifTaken: .waitForTurn") == true)
    await #expect(throws: AlreadyPendingError.self) { try await calls.value { 1 } }
    #expect(calls.resume(1, returning: "first"))
    #expect(try await result(of: task).get() == "first")
    #expect(calls.count == 0)
  }

  @Test
  func `all calls are ended, those that are being made, too, in the order in which they began`()
    async
  {
    let order = Protected<[Int]>([])
    @Sendable func fail(_ id: Int, _ end: @Sendable () async throws -> String) async {
      await #expect(throws: SDKError.failed) { try await end() }
      order.withLock { $0.append(id) }
    }
    for id in 0..<5 {
      Task(executorPreference: executor) { [calls] in
        await fail(id) { try await calls.value(for: id) {} }
      }
      executor.runUntilIdle()
    }
    #expect(calls.resume(2, throwing: SDKError.failed))
    executor.runUntilIdle()
    await #expect(throws: SDKError.failed) {
      try await calls.value {
        #expect(calls.resumeAll(throwing: SDKError.failed) == 5)
        return 5
      }
    }
    executor.runUntilIdle()
    #expect(order.withLock { $0 } == [2, 0, 1, 3, 4])
    let next = begin(1)
    #expect(calls.resume(1, returning: "next"), "a later call is not affected")
    #expect((try? await result(of: next).get()) == "next")
    #expect(calls.count == 0)
  }

  @Test
  func `the memory for many calls is given back when they have ended`() throws {
    var registry = CallRegistry<Int>()
    let numbers = try (0..<10_000).map { id in
      try registry.add(Wait(response: .abandonCallback), id, CallSite())
    }
    #expect(registry.waiting.capacity >= 10_000)
    for (id, number) in numbers.enumerated() {
      #expect(registry.leave(id, number, isOver: true) != nil)
    }
    #expect(registry.waiting.capacity < 1_000)
  }
}
