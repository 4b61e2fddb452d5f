import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What is special about calls whose answers come by id. The laws that they share with all bridges run over them as
/// ``BridgeForm/pending``.
@Suite("Pending calls", .watchdog)
struct PendingCallsTests {
  struct Refusal: Error, Equatable {}
  struct Loss: Error, Equatable {
    var number = 1
  }

  private let calls = PendingCalls<Int, String>()
  private let executor = ManualExecutor()

  /// Begins a call in a task of its own, and runs it until it sleeps.
  private func begin(
    _ id: Int,
    _ response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil
  ) -> Task<String, any Error> {
    defer { executor.runUntilIdle() }
    return Task(executorPreference: executor) { [calls] in
      try await calls.value(for: id, whenCancelled: response, timeout: timeout) {}
    }
  }

  private func result(of task: Task<String, any Error>) async -> Result<String, any Error> {
    executor.runUntilIdle()
    return await task.result
  }

  @Test
  func `answers in another order find their calls`() async throws {
    let tasks = (0..<100).map { begin($0) }
    #expect(calls.count == 100)
    for id in (0..<100).reversed() { #expect(calls.resume(id, returning: "\(id)")) }
    #expect(calls.isEmpty)
    executor.runUntilIdle()
    for (id, task) in tasks.enumerated() { #expect(try await task.value == "\(id)") }
  }

  @Test
  func `an answer that nobody waits for is not taken`() async throws {
    #expect(!calls.resume(1, returning: "unknown"))
    #expect(!calls.resume(1, throwing: Refusal()))
    let task = begin(1)
    #expect(!calls.resume(2, returning: "unknown"))
    #expect(calls.resume(1, returning: "first"))
    #expect(!calls.resume(1, returning: "second"))
    #expect(try await result(of: task).get() == "first")
    #expect(!calls.resume(1, returning: "late"))
  }

  @Test
  func `a call that is cancelled leaves nothing, and its late answer is not taken`() async {
    let task = begin(1)
    task.cancel()
    executor.runUntilIdle()
    #expect(calls.isEmpty)
    #expect(!calls.resume(1, returning: "late"))
    await #expect(throws: CancellationError.self) { try await result(of: task).get() }
  }

  @Test
  func `a value that comes after the cancellation is not taken, although the call is still there`()
    async
  {
    let task = Task(executorPreference: executor) { [calls] in
      try await calls.value(for: 1) {
      } onDiscard: { _ in
        Issue.record("no call took it")
      }
    }
    executor.runUntilIdle()
    task.cancel()
    #expect(calls.count == 1)
    #expect(!calls.resume(1, returning: "late"))
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test
  func `what answers all calls counts only those that take it`() async throws {
    let (cancelled, waiting) = (begin(1), begin(2))
    cancelled.cancel()
    #expect(calls.count == 2)
    #expect(calls.resumeAll(returning: "all") == 1)
    #expect(try await result(of: waiting).get() == "all")
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }

  @Test
  func `an answer that a cancelled call does not take goes to no other call with its id`() async {
    let unclaimed = Protected<[String]>([])
    let calls = PendingCalls<Int, String> { _, answer in
      unclaimed.withLock { $0.append((try? answer.get()) ?? "") }
    }
    let cancelled = Task(executorPreference: executor) { try await calls.value(for: 1) {} }
    executor.runUntilIdle()
    cancelled.cancel()
    await #expect(throws: AlreadyPendingError.self) {
      try await calls.value {
        #expect(calls.resume(1, returning: "late"))
        return 1
      }
    }
    #expect(unclaimed.withLock { $0 } == ["late"])
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
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

  @Test(arguments: [CancellationResponse.waitForCallback, .deliverResult])
  func `a call that waits for its answer after a cancellation stays until the answer`(
    response: CancellationResponse
  ) async {
    let task = begin(1, response)
    task.cancel()
    executor.runUntilIdle()
    #expect(calls.count == 1)
    #expect(calls.resume(1, returning: "late"))
    #expect(calls.isEmpty)
    let value = try? await result(of: task).get()
    #expect(value == (response == .deliverResult ? "late" : nil))
  }

  @Test
  func `an id that is taken is refused before the SDK is called`() async throws {
    let task = begin(1)
    let line = Reports.shared.uniqueLine()
    let error = await #expect(throws: AlreadyPendingError.self) {
      try await calls.value(for: 1, line: line) { Issue.record("the SDK is called") }
    }
    #expect(error?.callSite.line == line)
    #expect(error.map { "\($0)" }?.contains("was refused") == true)
    #expect(calls.resume(1, returning: "first"))
    #expect(try await result(of: task).get() == "first")
    #expect(calls.isEmpty)
  }

  @Test(arguments: CancellationResponse.allCases)
  func `an id is free when onCancel has returned, and not before`(
    response: CancellationResponse
  ) async throws {
    let events = Protected<[String]>([])
    let refused = Protected(0)
    // Another call with the same id, before its SDK is called.
    @Sendable func expectRefusal() {
      Task(executorPreference: executor) { [calls] in
        await #expect(throws: AlreadyPendingError.self) {
          try await calls.value(for: 1) { Issue.record("the SDK is called") }
        }
        await #expect(throws: AlreadyPendingError.self) { try await calls.value { 1 } }
        refused.withLock { $0 += 1 }
      }
    }
    let first = Task(executorPreference: executor) { [calls, executor] in
      try await calls.value(for: 1, whenCancelled: response) {
      } onCancel: {
        expectRefusal()
        executor.runUntilIdle()
        events.withLock { $0.append("onCancel") }
      }
    }
    executor.runUntilIdle()
    first.cancel()
    // Its task has not gone on.
    #expect(calls.resume(1, returning: "late") == (response != .abandonCallback))
    #expect(!calls.resume(1, returning: "again"))
    #expect(calls.resumeAll(returning: "all") == 0)
    #expect(calls.count == 1)
    executor.runUntilIdle()
    #expect(refused.withLock { $0 } == 1)
    #expect(events.withLock { $0 } == ["onCancel"])
    #expect(calls.isEmpty)
    #expect((try? await first.value) == (response == .deliverResult ? "late" : nil))
    let second = begin(1)
    #expect(calls.resume(1, returning: "second"))
    #expect(try await result(of: second).get() == "second")
    #expect(events.withLock { $0 } == ["onCancel"])
  }

  @Test(arguments: [CancellationResponse.waitForCallback, .deliverResult])
  func `a call that was interrupted and closed keeps its id until its onCancel has returned`(
    response: CancellationResponse
  ) async {
    let task = begin(1, response)
    task.cancel()
    #expect(calls.resumeAll(throwing: Refusal()) == 1)
    #expect(calls.count == 1)
    _ = await result(of: task)
    #expect(calls.isEmpty)
  }

  @Test
  func `an operation that throws leaves nothing`() async {
    await #expect(throws: Refusal.self) {
      try await calls.value(for: 1) { throw Refusal() }
    }
    await #expect(throws: Refusal.self) {
      try await calls.value { throw Refusal() }
    }
    #expect(calls.isEmpty)
    #expect(!calls.resume(1, returning: "late"))
  }

  @Test
  func `close ends every call, and later calls do not call the SDK`() async {
    let tasks = (0..<10).map { begin($0) }
    calls.close(throwing: Loss())
    calls.close(throwing: Loss(number: 2))
    #expect(calls.isEmpty)
    for task in tasks {
      await #expect(throws: Loss()) { try await result(of: task).get() }
    }
    await #expect(throws: Loss()) {
      try await calls.value(for: 1) { Issue.record("the SDK is called") }
    }
    await #expect(throws: Loss()) {
      try await calls.value {
        Issue.record("the SDK is called")
        return 1
      }
    }
    #expect(!calls.resume(1, returning: "late"))
    #expect(calls.resumeAll(returning: "nobody") == 0)
  }

  @Test
  func `all calls are answered in the order in which they began`() {
    let order = Protected<[Int]>([])
    func begin(_ id: Int) {
      Task(executorPreference: executor) { [calls] in
        _ = try? await calls.value(for: id) {}
        order.withLock { $0.append(id) }
      }
      executor.runUntilIdle()
    }
    for id in 0..<5 { begin(id) }
    #expect(calls.resume(2, returning: "first"))
    begin(5)
    executor.runUntilIdle()
    #expect(calls.resumeAll(returning: "all") == 5)
    executor.runUntilIdle()
    #expect(order.withLock { $0 } == [2, 0, 1, 3, 4, 5])
  }

  @Test
  func `close inside the call ends it`() async {
    await #expect(throws: Loss()) {
      try await calls.value(for: 1) { calls.close(throwing: Loss()) }
    }
    let others = PendingCalls<Int, String>()
    await #expect(throws: Loss()) {
      try await others.value {
        others.close(throwing: Loss())
        return 1
      }
    }
    #expect(calls.isEmpty && others.isEmpty)
  }

  @Test
  func `resumeAll answers every call, even one that is being made, and later calls are unaffected`()
    async throws
  {
    let tasks = (0..<10).map { begin($0) }
    let own = try await calls.value {
      #expect(calls.resumeAll(returning: "all") == 11)
      return 10
    }
    #expect(own == "all")
    for task in tasks { #expect(try await result(of: task).get() == "all") }
    let next = begin(1)
    #expect(calls.resumeAll(throwing: Refusal()) == 1)
    await #expect(throws: Refusal.self) { try await result(of: next).get() }
    #expect(calls.isEmpty)
  }

  @Test
  func `calls that only wait for the end need no value`() async throws {
    let ends = PendingCalls<Int, Void>()
    try await ends.value(for: 1) { ends.resume(1) }
    try await ends.value(for: 1) { ends.resumeAll() }
    #expect(!ends.resume(1))
  }

  @Test
  func `a value that is not Sendable is handed back if nobody waits`() async throws {
    let sessions = PendingCalls<Int, Document>()
    let refused = sessions.resume(1, returning: Document(name: "refused"))
    #expect(refused?.name == "refused")
    let session = try await sessions.value(for: 1) {
      let rest = sessions.resume(1, returning: Document(name: "taken"))
      #expect(rest == nil)
    }
    #expect(session.name == "taken")
    let own = try await sessions.value {
      let rest = sessions.resume(7, returning: Document(name: "parked"))
      #expect(rest == nil)
      return 7
    }
    #expect(own.name == "parked")
  }

  @Test
  func `ids of the same hash are told apart`() async throws {
    let calls = PendingCalls<Colliding, String>()
    let tasks = (0..<50).map { number in
      Task(executorPreference: executor) {
        try await calls.value(for: Colliding(number: number)) {}
      }
    }
    executor.runUntilIdle()
    await #expect(throws: AlreadyPendingError.self) {
      try await calls.value(for: Colliding(number: 30)) {}
    }
    #expect(!calls.resume(Colliding(number: 50), returning: "nobody"))
    for number in (0..<50).reversed() {
      #expect(calls.resume(Colliding(number: number), returning: "\(number)"))
      #expect(!calls.resume(Colliding(number: number), returning: "again"))
    }
    for (number, task) in tasks.enumerated() {
      #expect(try await result(of: task).get() == "\(number)")
    }
    let own = try await calls.value {
      #expect(calls.resume(Colliding(number: 1), returning: "one"))
      #expect(calls.resume(Colliding(number: 2), returning: "two"))
      return Colliding(number: 2)
    }
    #expect(own == "two")
  }
}

/// A value that is not `Sendable`.
private final class Document {
  var name: String

  init(name: String) {
    self.name = name
  }
}

private struct Colliding: Hashable, Sendable {
  let number: Int
  func hash(into hasher: inout Hasher) {}
}
