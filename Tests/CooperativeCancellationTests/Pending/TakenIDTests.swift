import CancellationInternals
import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import PendingAnswers
import Testing

/// Calls whose id another call has: with each `TakenIDPolicy`, and those of a `PendingCall`, which
/// have none. `TurnExplorationTests` searches the order of all events.
@Suite("Pending calls, ids that are taken", .watchdog) struct TakenIDTests {
  static let sharing: [PendingKind] = [.inTurn, .inOrder, .oneAtATime]
  static let turns: [PendingKind] = [.inTurn, .oneAtATime]

  private let executor = ManualExecutor()
  private let clock = ManualClock()
  private let log = Protected<[String]>([])

  private var events: [String] { log.withLock { $0 } }
  private var called: [String] { events.filter { $0.count == 1 } }

  private func begin(
    _ name: String,
    _ waits: PendingKind.Waits,
    id: Int = 7,
    _ response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil
  ) -> Task<String, any Error> {
    defer { executor.runUntilIdle() }
    let closures = PendingKind.Closures(
      response: response,
      timeout: timeout,
      operation: { [log] in log.withLock { $0.append(name) } },
      onCancel: { [log] in log.withLock { $0.append("cancel \(name)") } },
      onDiscard: { [log] value in log.withLock { $0.append("discard \(value)") } }
    )
    return Task(executorPreference: executor) { [log] in
      do {
        return try await waits.call(id, closures)
      } catch {
        log.withLock { $0.append("\(name) throws") }
        throw error
      }
    }
  }

  private func cancel(_ task: Task<String, any Error>) {
    task.cancel()
    executor.runUntilIdle()
  }

  private func value(of task: Task<String, any Error>) async throws -> String {
    executor.runUntilIdle()
    return try await task.value
  }

  @Test func `an id that is taken is refused before the SDK is called`() async throws {
    let calls = PendingCalls<Int, String>()
    let task = Task(executorPreference: executor) { try await calls.value(for: 1) {} }
    executor.runUntilIdle()
    let line = Reports.shared.uniqueLine()
    let error = await #expect(throws: AlreadyPendingError.self) {
      try await calls.value(for: 1, line: line) { Issue.record("the SDK is called") }
    }
    #expect(error?.callSite.line == line)
    #expect(error.map { "\($0)" }?.contains("ifTaken: .waitForTurn") == true)
    await #expect(throws: AlreadyPendingError.self) { try await calls.value { 1 } }
    #expect(calls.tryResume(1, returning: "first"))
    executor.runUntilIdle()
    #expect(try await task.value == "first")
    #expect(calls.count == 0)
  }

  @Test(arguments: sharing)
  func `each call has its own answer, first come, first served`(kind: PendingKind) async throws {
    let waits = kind.make(nil) {}
    let tasks = ["a", "b", "c", "d"].map { begin($0, waits) }
    // In the line, or still in the queue.
    cancel(tasks[1])
    let answers = kind.hasTurns ? ["1", "3", "4"] : ["1", "2", "3", "4"]
    for (number, text) in answers.enumerated() {
      #expect(called.count == (kind.hasTurns ? number + 1 : 4))
      #expect(waits.count() == answers.count - number)
      #expect(waits.answer(7, .success(text)) == 1)
      executor.runUntilIdle()
    }
    #expect(try await tasks[0].value == "1")
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    #expect(try await tasks[2].value == "3")
    #expect(try await tasks[3].value == "4")
    #expect(called == (kind.hasTurns ? ["a", "c", "d"] : ["a", "b", "c", "d"]))
    #expect(events.contains("discard 2") == !kind.hasTurns)
    #expect(waits.answer(7, .success("nobody's")) == 0)
  }

  @Test(arguments: turns, CancellationResponse.heeding)
  func `a call that is cancelled when its turn has come passes it on`(
    kind: PendingKind,
    response: CancellationResponse
  ) async throws {
    let waits = kind.make(nil) {}
    let tasks = [begin("a", waits), begin("b", waits, response), begin("c", waits)]
    #expect(waits.answer(7, .success("1")) == 1)
    tasks[1].cancel()
    #expect(try await value(of: tasks[0]) == "1")
    await #expect(throws: CancellationError.self) { try await tasks[1].value }
    #expect(waits.answer(7, .success("3")) == 1)
    #expect(try await value(of: tasks[2]) == "3")
    #expect(called == ["a", "c"])
    #expect(waits.count() == 0)
  }

  @Test(arguments: turns, [false, true])
  func `the time counts while a call waits for its turn, and then for its answer`(
    kind: PendingKind,
    hasTurn: Bool
  ) async throws {
    let waits = kind.make(nil) {}
    let first = begin("a", waits)
    let second = begin("b", waits, timeout: Timeout(.seconds(5), clock: clock))
    try await clock.waitForSleeper(within: .watchdog)
    if hasTurn {
      clock.advance(by: .seconds(3))
      #expect(waits.answer(7, .success("1")) == 1)
      executor.runUntilIdle()
      // The sleep for the turn is cancelled, and that for the answer begins.
      try await clock.waitForWakeUp(within: .watchdog)
      try await clock.waitForSleeper(within: .watchdog)
    }
    clock.advance(by: .seconds(hasTurn ? 2 : 5))
    try #require(clock.sleeperCount == 0, "five seconds are over")
    while !events.contains("b throws") {
      executor.runUntilIdle()
      await Task.yield()
    }
    await #expect(throws: TimeoutError.self) { try await second.value }
    #expect(waits.answer(7, .success(hasTurn ? "late" : "1")) == 1)
    #expect(try await value(of: first) == "1")
    #expect(called == (hasTurn ? ["a", "b"] : ["a"]))
    #expect(events.contains("cancel b") == hasTurn)
  }

  // MARK: Late answers

  @Test(arguments: sharing, CancellationResponse.heeding)
  func `a late answer that does not come in time is not expected anymore`(
    kind: PendingKind,
    response: CancellationResponse
  ) async throws {
    let waits = kind.make(Timeout(.seconds(5), clock: clock)) {}
    let first = begin("a", waits, response)
    #expect(clock.sleeperCount == 0, "it has not been cancelled")
    cancel(first)
    try await clock.waitForSleeper(within: .watchdog)
    let second = begin("b", waits)
    #expect(waits.count() == 2)
    #expect(events.contains("a throws") == (response == .abandonCallback))
    clock.advance(by: .seconds(5))
    // The clock's thread counts first, and resumes afterwards.
    while waits.count() == 2 || !events.contains("a throws") || !events.contains("b") {
      executor.runUntilIdle()
      await Task.yield()
    }
    await #expect(throws: CancellationError.self) { try await value(of: first) }
    #expect(waits.answer(7, .success("own")) == 1)
    #expect(try await value(of: second) == "own")
  }

  @Test(arguments: sharing, [false, true])
  func `a late answer that comes in time, or a close, leaves no limit behind`(
    kind: PendingKind,
    isClosed: Bool
  ) async throws {
    let waits = kind.make(Timeout(.seconds(5), clock: clock)) {}
    cancel(begin("a", waits))
    try await clock.waitForSleeper(within: .watchdog)
    if isClosed {
      waits.close(SDKError.failed)
    } else {
      #expect(waits.answer(7, .success("late")) == 1)
    }
    #expect(waits.count() == 0)
    try await clock.waitForWakeUp(within: .watchdog)
    #expect(clock.sleeperCount == 0)
  }

  @Test(arguments: sharing, CancellationResponse.heeding)
  func `an id is free when onCancel has returned, if the SDK forgets a cancelled call`(
    kind: PendingKind,
    response: CancellationResponse
  ) async throws {
    let waits = kind.make(.seconds(0)) {}
    let first = begin("a", waits, response)
    let second = begin("b", waits)
    cancel(first)
    await #expect(throws: CancellationError.self) { try await value(of: first) }
    #expect(waits.count() == 1)
    #expect(waits.answer(7, .success("own")) == 1)
    #expect(try await value(of: second) == "own")
    #expect(events.filter { $0.hasSuffix("a") } == ["a", "cancel a"])
  }

  // MARK: What only one of the types has

  @Test(arguments: [PendingCalls<Int, String>.TakenIDPolicy.waitForTurn, .answerInOrder])
  func `a call whose id the SDK returns takes its place behind the calls that have it`(
    policy: PendingCalls<Int, String>.TakenIDPolicy
  ) async throws {
    let calls = PendingCalls<Int, String>(ifTaken: policy)
    let first = begin("a", PendingKind.Waits(calls))
    let second = Task(executorPreference: executor) { try await calls.value { 7 } }
    executor.runUntilIdle()
    let third = begin("c", PendingKind.Waits(calls))
    for (answer, hasTurn) in [("1", false), ("2", false), ("3", true)] {
      #expect(events.contains("c") == (hasTurn || policy == .answerInOrder))
      #expect(calls.tryResume(7, returning: answer))
      executor.runUntilIdle()
    }
    #expect(try await first.value == "1")
    #expect(try await second.value == "2")
    #expect(try await third.value == "3")
    #expect(calls.count == 0)
    let last = Task(executorPreference: executor) { try await calls.value { 7 } }
    executor.runUntilIdle()
    cancel(last)
    #expect(calls.count == 1 && calls.tryResume(7, returning: "late") && calls.count == 0)
  }

  @Test func `an error for all ends the calls that wait for their turn, too`() async throws {
    let calls = PendingCalls<Int, String>(ifTaken: .waitForTurn)
    let tasks = ["a", "b", "c"].map { begin($0, PendingKind.Waits(calls)) }
    #expect(calls.resumeAll(throwing: SDKError.failed) == 3)
    for task in tasks { await #expect(throws: SDKError.failed) { try await value(of: task) } }
    #expect(called == ["a"] && calls.count == 0)
  }

  @Test func `an error for all leaves the turn to the call that has it`() async throws {
    let calls = PendingCalls<Int, String>(ifTaken: .waitForTurn)
    let tasks = ["a", "b"].map { begin($0, PendingKind.Waits(calls)) }
    // The second call has its turn, and its task has not run since.
    #expect(calls.tryResume(7, throwing: SDKError.cancelled))
    #expect(calls.resumeAll(throwing: SDKError.failed) == 0)
    let other = ManualExecutor()
    let third = Task(executorPreference: other) { [log] in
      try await calls.value(for: 7) { log.withLock { $0.append("c") } }
    }
    other.runUntilIdle()
    #expect(called == ["a"])
    for (number, name) in ["b", "c"].enumerated() {
      executor.runUntilIdle()
      other.runUntilIdle()
      #expect(called.count == number + 2 && called.last == name)
      #expect(calls.tryResume(7, returning: "to \(name)"))
    }
    other.runUntilIdle()
    await #expect(throws: SDKError.cancelled) { try await tasks[0].value }
    #expect(try await tasks[1].value == "to b")
    #expect(try await third.value == "to c")
  }

  @Test(arguments: [PendingCalls<Int, String>.TakenIDPolicy.throwError, .waitForTurn])
  func `after an error for all, a value that came before it is still withheld, and the SDK told`(
    policy: PendingCalls<Int, String>.TakenIDPolicy
  ) async {
    let calls = PendingCalls<Int, String>(ifTaken: policy)
    let task = begin("a", PendingKind.Waits(calls))
    #expect(calls.tryResume(7, returning: "value"))
    #expect(calls.resumeAll(throwing: SDKError.failed) == 0)
    cancel(task)
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(events == ["a", "cancel a", "discard value", "a throws"])
    #expect(calls.count == 0)
  }

  @Test
  func `an asynchronous operation waits for its turn, and frees it when it throws`() async throws {
    let calls = PendingCalls<Int, String>(ifTaken: .waitForTurn)
    let (begun, mayEnd) = (Signal(), Signal())
    let first = Task {
      try await calls.value(forSending: 7, whenCancelled: .waitForCallback) {
        begun.fire()
        await mayEnd.wait()
        try Task.checkCancellation()
      }
    }
    await begun.wait()
    let second = Task {
      try await calls.value(forSending: 7) {
        await Task.yield()
        calls.resume(7, returning: "own")
      }
    }
    while calls.count < 2 { await Task.yield() }
    first.cancel()
    mayEnd.fire()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect(try await second.value == "own")
    #expect(calls.count == 0)
  }

  @Test func `a call that joins with its answer leaves, and so does an older one after it`() {
    var line = TurnMachine<Int>(after: 0)
    var effects = Effects<Int>()
    func reply() -> Reply<PendingAnswer<Int>> { Reply(CallSite(), nil) }
    func answer() -> PendingAnswer<Int>? { .success(Sent(1)) }
    var (first, own, late) = (answer(), answer(), answer())
    let unread = line.begin(reply(), ticket: nil, mayWithhold: true)
    #expect(line.answer(&first, &effects))
    let older = line.begin(reply(), ticket: nil, mayWithhold: true)
    let joined = line.join(PendingEntry(reply(), 0, mayWithhold: true), &own, &effects)
    #expect(line.answer(&late, &effects))
    line.hold(older)
    #expect(line.count == 1, "it forwards, so it counts")
    for call in [joined, unread, older] {
      let stays = line.forwarded(call, &effects)
      #expect(!stays)
    }
    #expect(line.isEmpty)
  }

  @Test func `an id that was parked and the id of the call are both released after unlocking`()
    throws
  {
    var registry = PendingCallsMachine<Int, Int>()
    let number = try registry.start(Reply(CallSite(), nil), mayWithhold: false)
    var answer: PendingAnswer<Int>? = .success(Sent(1))
    let isParked = registry.park(7, &answer)
    var outcome = PendingCallsMachine<Int, Int>.Outcome()
    let isNamed = registry.name(number, 7, &outcome)
    #expect(isParked && isNamed && outcome.id == 7 && outcome.parkedID == 7)
  }

  @Test func `no ticket is used twice, although a line that is over is removed`() throws {
    var registry = PendingCallsMachine<Int, Int>()
    var tickets: Set<Int> = []
    for _ in 1...1_000 {
      var outcome = PendingCallsMachine<Int, Int>.Outcome()
      tickets.insert(try #require(registry.inLine(7, &outcome) { line, _ in line.ask() }))
      registry.inLine(7, &outcome) { $0.decline(&$1) }
      #expect(outcome.id == 7)
    }
    #expect(tickets.count == 1_000 && registry.lines.isEmpty)
  }
}

extension PendingKind {
  /// Whether the SDK is called for one call at a time.
  fileprivate var hasTurns: Bool { !traits.contains(.answersInOrder) }
}
