import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// One call at a time, without ids. The guarantees that it shares with all bridges run over it as ``BridgeForm/pending``.
@Suite("Pending calls, one at a time", .watchdog)
struct PendingCallTests {
  private let call = PendingCall<String>()
  private let executor = ManualExecutor()
  private let log = Protected<[String]>([])

  private var events: [String] { log.withLock { $0 } }

  private func begin(
    _ name: String,
    _ response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    inOnCancel: @escaping @Sendable () -> Void = {}
  ) -> Task<String, any Error> {
    defer { executor.runUntilIdle() }
    return Task(executorPreference: executor) { [call, log] in
      try await call.value(whenCancelled: response, timeout: timeout) {
        log.withLock { $0.append(name) }
      } onCancel: {
        inOnCancel()
        log.withLock { $0.append("cancel \(name)") }
      } onDiscard: { value in
        log.withLock { $0.append("discard \(value)") }
      }
    }
  }

  private func value(of task: Task<String, any Error>) async throws -> String {
    executor.runUntilIdle()
    return try await task.value
  }

  @Test
  func `calls wait for their turn, in order`() async throws {
    let tasks = ["a", "b", "c"].map { begin($0) }
    #expect(events == ["a"])
    #expect(call.count == 3)
    for (number, task) in tasks.enumerated() {
      #expect(call.resume(returning: "\(number)"))
      #expect(try await value(of: task) == "\(number)")
    }
    #expect(events == ["a", "b", "c"])
    #expect(call.count == 0)
    #expect(!call.resume(returning: "nobody's"))
  }

  /// When a cancelled call gets its answer.
  enum Moment: CaseIterable {
    case beforeItsTaskGoesOn, insideOnCancel, afterOnCancel
  }

  @Test(arguments: CancellationResponse.heeding, Moment.allCases)
  func `the turn passes when the call has its answer and its onCancel has returned`(
    response: CancellationResponse,
    moment: Moment
  ) async throws {
    @Sendable func answer() {
      #expect(call.count == 2)
      #expect(call.resume(returning: "late"))
      #expect(!call.resume(returning: "again"))
      #expect(call.count == (moment == .afterOnCancel ? 1 : 2))
    }
    let first = begin("a", response) { [executor] in
      guard moment == .insideOnCancel else { return }
      answer()
      executor.runUntilIdle()
    }
    let second = begin("b")
    first.cancel()
    if moment == .beforeItsTaskGoesOn { answer() }
    executor.runUntilIdle()
    if moment == .afterOnCancel { answer() }
    executor.runUntilIdle()
    #expect((try? await first.value) == (response == .deliverResult ? "late" : nil))
    let discards = response == .deliverResult ? [] : ["discard late"]
    #expect(events.filter { $0.hasPrefix("discard") } == discards)
    #expect(events.filter { !$0.hasPrefix("discard") } == ["a", "cancel a", "b"])
    #expect(call.resume(returning: "own"))
    #expect(try await value(of: second) == "own")
  }

  /// When a call in the queue is cancelled.
  enum Exit: CaseIterable {
    case beforeItsTurn, beforeItsTurnAndItsTaskHasNotGoneOn, withItsTurn
  }

  @Test(arguments: CancellationResponse.heeding, Exit.allCases)
  func `a call that is cancelled in the queue leaves it, and its turn goes to the next one`(
    response: CancellationResponse,
    exit: Exit
  ) async throws {
    let tasks = [begin("a"), begin("b", response), begin("c")]
    if exit == .withItsTurn { call.resume(returning: "1") }
    tasks[1].cancel()
    if exit == .beforeItsTurn {
      await #expect(throws: CancellationError.self) { try await value(of: tasks[1]) }
      #expect(call.count == 2)
    }
    if exit != .withItsTurn { call.resume(returning: "1") }
    #expect(try await value(of: tasks[0]) == "1")
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    #expect(call.resume(returning: "3"))
    #expect(try await value(of: tasks[2]) == "3")
    #expect(events == ["a", "c"])
    #expect(call.count == 0)
  }

  @Test
  func `the time counts while a call waits for its turn`() async throws {
    let clock = ManualClock()
    let first = begin("a")
    let second = begin("b", timeout: Timeout(.seconds(5), clock: clock))
    try await clock.waitForSleeper(within: .watchdog)
    clock.advance(by: .seconds(5))
    while call.count == 2 {
      executor.runUntilIdle()
      await Task.yield()
    }
    await #expect(throws: TimeoutError.self) { try await value(of: second) }
    call.resume(returning: "1")
    #expect(try await value(of: first) == "1")
    #expect(events == ["a"])
  }

  @Test
  func `the time that a call waited for its turn counts when it waits for its answer`() async throws
  {
    let clock = ManualClock()
    let first = begin("a")
    let second = begin("b", timeout: Timeout(.seconds(5), clock: clock))
    try await clock.waitForSleeper(within: .watchdog)
    clock.advance(by: .seconds(3))
    call.resume(returning: "1")
    executor.runUntilIdle()
    #expect(events == ["a", "b"])
    // The sleep for the turn is cancelled, and that for the answer begins.
    try await clock.waitForWakeUp(within: .watchdog)
    try await clock.waitForSleeper(within: .watchdog)
    clock.advance(by: .seconds(2))
    try #require(clock.sleeperCount == 0, "five seconds are over")
    while events.count < 3 {
      executor.runUntilIdle()
      await Task.yield()
    }
    await #expect(throws: TimeoutError.self) { try await value(of: second) }
    #expect(events == ["a", "b", "cancel b"])
    #expect(try await value(of: first) == "1")
    call.resume(returning: "late")
  }

  @Test
  func `a second call can be refused`() async throws {
    let call = PendingCall<Void>(waitsForTurn: false)
    let task = Task(executorPreference: executor) { try await call.value {} }
    executor.runUntilIdle()
    await #expect(throws: AlreadyPendingError.self) {
      try await call.value { Issue.record("the SDK is called") }
    }
    #expect(call.resume())
    executor.runUntilIdle()
    try await task.value
    try await call.value { call.resume() }
  }

  @Test
  func `close ends the calls that wait, and one whose turn has just come`() async {
    let tasks = ["a", "b", "c"].map { begin($0) }
    call.resume(returning: "1")
    call.close(throwing: SDKError.failed)
    executor.runUntilIdle()
    for task in tasks.dropFirst() {
      await #expect(throws: SDKError.failed) { try await task.value }
    }
    #expect(events == ["a"])
    #expect(call.count == 0)
  }

  @Test
  func `calls that leave the queue leave nothing behind`() async throws {
    let tasks = (0..<1_000).map { begin("\($0)") }
    for task in tasks.dropFirst(2) { task.cancel() }
    executor.runUntilIdle()
    #expect(call.count == 2)
    call.resume(returning: "first")
    executor.runUntilIdle()
    call.resume(returning: "second")
    #expect(try await value(of: tasks[1]) == "second")
    #expect(events == ["0", "1"])
    #expect(call.count == 0)
  }
}
