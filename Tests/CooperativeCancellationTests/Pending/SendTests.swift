import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// SDKs that are called with `await`, and whose answers come by id.
@Suite("Pending calls, asynchronous sends", .watchdog)
struct SendTests {
  private let calls = PendingCalls<Int, String>()

  /// Sleeps until it is cancelled.
  private static func listen() async throws {
    try await Task.sleep(for: .seconds(1_000))
  }

  @Test
  func `an answer may come before the send returns, or after`() async throws {
    let early = try await calls.value(for: 1) { [calls] in
      await Task.yield()
      calls.resume(1, returning: "early")
    }
    #expect(early == "early")
    let task = Task { [calls] in try await calls.value(for: 1) { await Task.yield() } }
    while !calls.resume(1, returning: "late") { await Task.yield() }
    #expect(try await task.value == "late")
    #expect(calls.isEmpty)
  }

  @Test
  func `a timeout cancels a send, and is the error`() async {
    let cancelled = Protected(0)
    await #expect(throws: TimeoutError.self) {
      try await calls.value(for: 1, timeout: .milliseconds(1)) {
        try await Self.listen()
      } onCancel: {
        cancelled.withLock { $0 += 1 }
      }
    }
    #expect(cancelled.withLock { $0 } == 0, "the send did not return")
    #expect(calls.isEmpty)
  }

  @Test
  func `a timeout is forwarded once a send that does not throw has returned`() async {
    let cancelled = Protected(0)
    await #expect(throws: TimeoutError.self) {
      try await calls.value(for: 1, timeout: .milliseconds(1)) {
        while !Task.isCancelled { await Task.yield() }
      } onCancel: {
        cancelled.withLock { $0 += 1 }
      }
    }
    #expect(cancelled.withLock { $0 } == 1)
    #expect(calls.isEmpty)
  }

  @Test
  func `a cancellation cancels a send, and its error is thrown`() async {
    let task = Task { [calls] in try await calls.value(for: 1) { try await Self.listen() } }
    while calls.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(calls.isEmpty)
  }

  @Test
  func `a cancellation is forwarded once a send that does not throw has returned`() async {
    let events = Protected<[String]>([])
    let task = Task { [calls] in
      try await calls.value(for: 1) {
        while !Task.isCancelled { await Task.yield() }
        events.withLock { $0.append("sent") }
      } onCancel: {
        events.withLock { $0.append("onCancel") }
      }
    }
    while calls.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(events.withLock { $0 } == ["sent", "onCancel"])
    #expect(calls.isEmpty)
  }

  @Test
  func `a send that throws ends the call, and its value is discarded`() async {
    let discarded = Protected<[String]>([])
    await #expect(throws: SDKError.failed) {
      try await calls.value(for: 1) { [calls] in
        calls.resume(1, returning: "early")
        await Task.yield()
        throw SDKError.failed
      } onDiscard: { value in
        discarded.withLock { $0.append(value) }
      }
    }
    #expect(discarded.withLock { $0 } == ["early"])
    #expect(calls.isEmpty)
  }

  @Test
  func `nothing is sent in a cancelled task, or with a timeout of zero`() async {
    let task = Task { [calls] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await calls.value(for: 1) {
        Issue.record("sent")
        await Task.yield()
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: TimeoutError.self) {
      try await calls.value(for: 1, timeout: .seconds(0)) {
        Issue.record("sent")
        await Task.yield()
      }
    }
  }

  @Test
  @MainActor
  func `the send and onCancel run on the caller's actor`() async {
    let calls = calls
    var steps: [String] = []
    let task = Task { @MainActor in
      try await calls.value(for: 1) {
        MainActor.assertIsolated()
        await Task.yield()
        steps.append("sent")
      } onCancel: {
        MainActor.assertIsolated()
        steps.append("onCancel")
      }
    }
    while steps.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(steps == ["sent", "onCancel"])
  }

  @Test
  func `the sends of an actor begin there, in the order of their calls`() async {
    let actor = HandDrivenActor()
    let sent = Protected<[Int]>([])
    let ended = Protected(0)
    begin(on: actor, sent, ended)
    // No thread of the pool takes part.
    actor.executor.runUntilIdle()
    #expect(sent.withLock { $0 } == [1, 2, 3])
    calls.close(throwing: CancellationError())
    while ended.withLock({ $0 }) < 3 {
      actor.executor.runUntilIdle()
      await Task.yield()
    }
  }

  private func begin(
    on actor: HandDrivenActor,
    _ sent: Protected<[Int]>,
    _ ended: Protected<Int>
  ) {
    actor.assumeIsolated { actor in
      for id in 1...3 { send(id, on: actor, sent, ended) }
    }
  }

  private func send(
    _ id: Int,
    on actor: isolated HandDrivenActor,
    _ sent: Protected<[Int]>,
    _ ended: Protected<Int>
  ) {
    Task {
      _ = try? await calls.value(for: id) {
        actor.preconditionIsolated()
        sent.withLock { $0.append(id) }
        await actor.nothing()
      }
      ended.withLock { $0 += 1 }
    }
  }
}

extension HandDrivenActor {
  fileprivate func nothing() async {}
}
