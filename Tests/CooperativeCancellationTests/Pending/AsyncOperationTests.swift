import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import PendingAnswers
import Testing

/// SDKs that are called with `await`, and whose answers come by id.
@Suite("Pending calls, asynchronous sends", .watchdog) struct AsyncOperationTests {
  private let calls = PendingCalls<Int, String>()
  private let clock = ManualClock()
  private let send = StuckSend()
  private let line = Reports.shared.uniqueLine()

  /// What ends a call while its send is running.
  enum End: CaseIterable {
    case answer, errorToAll, close, cancellation, timeout
  }

  /// A send that has begun, and does not end before the test says so, whatever becomes of its task.
  private final class StuckSend: Sendable {
    let hasBegun = Signal()
    let isCancelled = Signal()
    private let mayEnd = Signal()

    func run(_ error: (any Error)?) async throws -> String {
      hasBegun.fire()
      await withTaskCancellationHandler {
        await mayEnd.wait()
      } onCancel: {
        isCancelled.fire()
      }
      if let error { throw error }
      return "request"
    }

    func end() { mayEnd.fire() }
  }

  /// Begins a call that times out after five seconds, and whose send has begun.
  private func begin(
    _ response: CancellationResponse = .abandonCallback,
    throwing error: (any Error)? = nil,
    onCancel: @escaping @Sendable (String) -> Void = { _ in Issue.record("nothing was sent") }
  ) async throws -> Task<String, any Error> {
    let task = Task { @MainActor [calls, clock, send] in
      try await calls.value(
        forSending: 1,
        whenCancelled: response,
        timeout: Timeout(.seconds(5), clock: clock),
        line: line
      ) {
        MainActor.assertIsolated()
        return try await send.run(error)
      } onCancel: { request in
        MainActor.assertIsolated()
        onCancel(request)
      }
    }
    try await clock.waitForSleeper(within: .watchdog)
    await send.hasBegun.wait()
    return task
  }

  /// Waits until no call has an id.
  private func isEmpty() async {
    while calls.count > 0 { await Task.yield() }
  }

  @Test(arguments: End.allCases)
  func `whatever ends a call, it does not wait for the send, which is cancelled`(end: End)
    async throws
  {
    WaitingCalls.startRecording()
    let task = try await begin(throwing: SDKError.failed)
    #expect(WaitingCall.states(line: line) == [.waiting])
    switch end {
    case .answer: #expect(calls.tryResume(1, returning: "value"))
    case .errorToAll: #expect(calls.resumeAll(throwing: SDKError.cancelled) == 1)
    case .close: calls.close(throwing: SDKError.cancelled)
    case .cancellation: task.cancel()
    case .timeout: clock.advance(by: .seconds(5))
    }
    let result = await task.result
    #expect(WaitingCall.states(line: line) == [])
    switch end {
    case .answer: #expect((try? result.get()) == "value")
    case .errorToAll, .close: #expect(throws: SDKError.cancelled) { try result.get() }
    case .cancellation: #expect(throws: CancellationError.self) { try result.get() }
    case .timeout: #expect(throws: TimeoutError.self) { try result.get() }
    }
    // Its deadline is not waited for anymore.
    try await clock.waitForWakeUp(within: .watchdog)
    await send.isCancelled.wait()
    send.end()
    await isEmpty()
  }

  @Test(arguments: CancellationResponse.heeding, [false, true])
  func
    `a send that returns after an interruption is followed by onCancel, and keeps the id until then`(
      response: CancellationResponse,
      timesOut: Bool
    ) async throws
  {
    let cancelled = Protected<[String]>([])
    let task = try await begin(response) { request in cancelled.withLock { $0.append(request) } }
    if timesOut { clock.advance(by: .seconds(5)) } else { task.cancel() }
    await send.isCancelled.wait()
    // The call ends without its send.
    #expect(calls.tryResume(1, returning: "late") == (response != .abandonCallback))
    #expect((try? await task.value) == (response == .deliverResult ? "late" : nil))
    await #expect(throws: AlreadyPendingError.self) {
      try await calls.value(forSending: 1) { Issue.record("the SDK is called") }
    }
    #expect(!calls.tryResume(1, returning: "second"))
    #expect(calls.count == 1)
    #expect(cancelled.withLock { $0 } == [])
    send.end()
    await isEmpty()
    #expect(cancelled.withLock { $0 } == ["request"])
  }

  @Test(
    arguments: CancellationResponse.allCases,
    [CancellationError(), SDKError.failed] as [any Error]
  )
  func `the first interruption counts when the send throws, unless its own error is asked for`(
    response: CancellationResponse,
    error: any Error
  ) async throws {
    let task = try await begin(response, throwing: error)
    clock.advance(by: .seconds(5))
    await send.isCancelled.wait()
    task.cancel()
    send.end()
    let thrown = await #expect(throws: (any Error).self) { try await task.value }
    // A send that throws `CancellationError` heeds its cancellation.
    let isAskedFor = response == .deliverResult && error is SDKError
    #expect(isAskedFor ? thrown is SDKError : thrown is TimeoutError)
    await isEmpty()
  }

  @Test(arguments: CancellationResponse.heeding)
  func `an interruption after the send has returned is forwarded before the call ends`(
    response: CancellationResponse
  ) async throws {
    let events = Protected<[String]>([])
    let task = Task { @MainActor [calls] in
      defer { events.withLock { $0.append("end") } }
      return try await calls.value(forSending: 1, whenCancelled: response) {
        await Task.yield()
        events.withLock { $0.append("sent") }
        return 7
      } onCancel: { request in
        MainActor.assertIsolated()
        events.withLock { $0.append("cancel \(request)") }
      }
    }
    while events.withLock({ $0.isEmpty }) { await Task.yield() }
    task.cancel()
    if response == .abandonCallback {
      #expect((try? await task.value) == nil)
    } else {
      while events.withLock({ $0.count < 2 }) { await Task.yield() }
      // On the actor, where `onCancel` has returned and its id is left.
      await MainActor.run { #expect(calls.count == 1, "it waits for its answer") }
      try #require(calls.tryResume(1, returning: "late"))
      #expect((try? await task.value) == (response == .deliverResult ? "late" : nil))
    }
    #expect(!calls.tryResume(1, returning: "again"))
    #expect(calls.count == 0)
    #expect(events.withLock { $0 } == ["sent", "cancel 7", "end"])
  }

  @MainActor
  @Test func `of a value that is withheld, onCancel tells the SDK before onDiscard gets it`() async
  {
    let events = Protected<[String]>([])
    let task = Task { [calls] in
      try await calls.value(forSending: 1) {
        events.withLock { $0.append("sent") }
      } onCancel: {
        events.withLock { $0.append("cancel") }
      } onDiscard: { value in
        events.withLock { $0.append("discard \(value)") }
      }
    }
    while events.withLock({ $0.isEmpty }) { await Task.yield() }
    // The task cannot run in between, because this is its actor.
    calls.resume(1, returning: "connection")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(events.withLock { $0 } == ["sent", "cancel", "discard connection"])
  }

  /// Begins a call, whose task runs on the main actor, and waits until it has sent.
  private func send(
    _ response: CancellationResponse,
    _ calls: PendingCalls<Int, String>
  ) async -> Task<String, any Error> {
    let sent = Signal()
    let task = Task { @MainActor in
      try await calls.value(forSending: 1, whenCancelled: response) {
        sent.fire()
      } onCancel: { _ in
        Issue.record("no cancellation ends the call")
      }
    }
    await sent.wait()
    return task
  }

  @Test(
    arguments: [CancellationResponse.abandonCallback, .waitForCallback],
    PendingCalls<Int, String>.TakenIDPolicy.allCases
  )
  func `an error that came first is thrown in a cancelled task, and nothing is forwarded`(
    response: CancellationResponse,
    policy: PendingCalls<Int, String>.TakenIDPolicy
  ) async {
    let calls = PendingCalls<Int, String>(ifTaken: policy)
    let task = await send(response, calls)
    // In one job of the actor, so the task of the call cannot run in between.
    await MainActor.run {
      #expect(calls.tryResume(1, throwing: SDKError.failed))
      task.cancel()
    }
    await #expect(throws: SDKError.failed) { try await task.value }
    #expect(calls.count == 0)
  }

  @Test(arguments: [CancellationResponse.abandonCallback, .waitForCallback])
  func `an answered call whose id is used again returns its value, although it is cancelled`(
    response: CancellationResponse
  ) async throws {
    let task = await send(response, calls)
    // In one job of the actor, so the task of the call cannot run in between.
    let next = await MainActor.run {
      #expect(calls.tryResume(1, returning: "value"))
      let hasBegun = Gate()
      let next = Task.detached { [calls] in try await calls.value(for: 1) { hasBegun.open() } }
      hasBegun.pass()
      task.cancel()
      return next
    }
    #expect(try await task.value == "value")
    #expect(calls.tryResume(1, returning: "next"))
    #expect(try await next.value == "next")
  }

  @Test func `a send that throws ends the call`() async throws {
    await #expect(throws: SDKError.failed) {
      try await calls.value(forSending: 1) {
        await Task.yield()
        throw SDKError.failed
      }
    }
    #expect(calls.count == 0)
  }

  @Test(arguments: CancellationResponse.allCases)
  func `a send that cancels its own task cancels the call`(response: CancellationResponse) async {
    await #expect(throws: CancellationError.self) {
      try await calls.value(forSending: 1, whenCancelled: response, timeout: .seconds(100_000)) {
        cancelThisTask()
        try checkpoint()
      }
    }
    #expect(calls.count == 0)
  }

  @Test func `a send that stops before its call sleeps ends the call`() {
    let reply = Reply<Int>(CallSite(), nil)
    let wait = Wait(response: .abandonCallback)
    #expect(reply.stop().counts)
    #expect(reply.takeOrAwait(by: wait) == nil)
    var machine = wait.machine
    guard case .ended(.interrupted(.cancelled, discarding: nil)) = machine.next() else {
      Issue.record("the call would sleep, and no event would wake it")
      return
    }
  }

  @Test func `a send does not begin in a call that has ended, and frees its id`() async {
    let (failures, forwards) = (Protected(0), Protected(0))
    let send = AsyncOperation<Int> {
      Issue.record("sent")
      return 1
    } onCancel: { _ in
      Issue.record("nothing was sent")
    } forwarded: {
      forwards.withLock { $0 += 1 }
    }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await send.run { error in
        #expect(error == nil)
        failures.withLock { $0 += 1 }
      }
    }.value
    #expect(failures.withLock { $0 } == 1)
    await send.interrupt(Task {})
    #expect(forwards.withLock { $0 } == 1)
  }

  @Test func `nothing is sent in a cancelled task, or with a timeout of zero`() async {
    let task = Task { [calls] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try await calls.value(forSending: 1) {
        Issue.record("sent")
        await Task.yield()
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: TimeoutError.self) {
      try await calls.value(forSending: 1, timeout: .seconds(0)) {
        Issue.record("sent")
        await Task.yield()
      }
    }
  }

  @Test func `the sends of an actor begin there, in the order of their calls`() async {
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
    actor.assumeIsolated { [calls] actor in
      for id in 1...3 {
        Task {
          _ = try? await calls.value(forSending: id) {
            actor.preconditionIsolated()
            sent.withLock { $0.append(id) }
            await actor.nothing()
          }
          ended.withLock { $0 += 1 }
        }
      }
    }
  }
}

extension HandDrivenActor {
  fileprivate func nothing() async {}
}
