import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// Calls that share their id: a characteristic, a register, a file.
@Suite("Pending calls, ids that recur", .watchdog)
struct RecurringIDTests {
  typealias Policy = PendingCalls<Int, String>.TakenIDPolicy
  static let sharing: [Policy] = [.waitForTurn, .answerInOrder]

  private let executor = ManualExecutor()
  private let clock = ManualClock()
  private let log = Protected<[String]>([])

  private var events: [String] { log.withLock { $0 } }

  private func makeCalls(_ policy: Policy, isLimited: Bool = false) -> PendingCalls<Int, String> {
    PendingCalls(
      ifTaken: policy,
      lateAnswers: isLimited ? Timeout(.seconds(5), clock: clock) : nil
    )
  }

  private func begin(
    _ name: String,
    _ calls: PendingCalls<Int, String>,
    id: Int = 7,
    _ response: CancellationResponse = .abandonCallback
  ) -> Task<String, any Error> {
    defer { executor.runUntilIdle() }
    return Task(executorPreference: executor) { [log] in
      do {
        return try await calls.value(for: id, whenCancelled: response) {
          log.withLock { $0.append(name) }
        } onCancel: {
          log.withLock { $0.append("cancel \(name)") }
        } onDiscard: { value in
          log.withLock { $0.append("discard \(value)") }
        }
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

  @Test(arguments: sharing, CancellationResponse.heeding)
  func `the answer of a cancelled read is not that of the next one`(
    policy: Policy,
    response: CancellationResponse
  ) async throws {
    let calls = makeCalls(policy)
    let first = begin("a", calls, response)
    cancel(first)
    let second = begin("b", calls, response)
    #expect(events.contains("b") == (policy == .answerInOrder))
    #expect(calls.count == 2)
    #expect(calls.resume(7, returning: "late"))
    #expect((try? await value(of: first)) == (response == .deliverResult ? "late" : nil))
    #expect(events.contains("discard late") == (response != .deliverResult))
    #expect(calls.resume(7, returning: "own"))
    #expect(try await value(of: second) == "own")
    #expect(!calls.resume(7, returning: "nobody's"))
  }

  @Test
  func `each call of one id has its own answer, first come, first served`() async throws {
    let calls = makeCalls(.answerInOrder)
    let tasks = ["a", "b", "c", "d"].map { begin($0, calls) }
    #expect(events == ["a", "b", "c", "d"])
    cancel(tasks[1])
    for (number, text) in ["1", "2", "3", "4"].enumerated() {
      #expect(calls.count == 4 - number)
      #expect(calls.resume(7, returning: text))
    }
    #expect(try await value(of: tasks[0]) == "1")
    await #expect(throws: CancellationError.self) { try await value(of: tasks[1]) }
    #expect(try await value(of: tasks[2]) == "3")
    #expect(try await value(of: tasks[3]) == "4")
    #expect(events.filter { $0.hasPrefix("discard") } == ["discard 2"])
  }

  @Test(arguments: sharing, CancellationResponse.heeding)
  func `a late answer that does not come in time is not expected anymore`(
    policy: Policy,
    response: CancellationResponse
  ) async throws {
    let calls = makeCalls(policy, isLimited: true)
    let first = begin("a", calls, response)
    #expect(clock.sleeperCount == 0, "it has not been cancelled")
    cancel(first)
    try await clock.waitForSleeper(within: .watchdog)
    let second = begin("b", calls)
    #expect(calls.count == 2)
    #expect(events.contains("a throws") == (response == .abandonCallback))
    clock.advance(by: .seconds(5))
    while calls.count == 2 { await Task.yield() }
    await #expect(throws: CancellationError.self) { try await value(of: first) }
    #expect(events.contains("b"))
    #expect(calls.resume(7, returning: "own"))
    #expect(try await value(of: second) == "own")
  }

  @Test(arguments: sharing, [false, true])
  func `a late answer that comes in time, or an end of all, leaves no limit behind`(
    policy: Policy,
    areAllEnded: Bool
  ) async throws {
    let calls = makeCalls(policy, isLimited: true)
    let first = begin("a", calls)
    cancel(first)
    try await clock.waitForSleeper(within: .watchdog)
    if areAllEnded {
      #expect(calls.resumeAll(throwing: SDKError.failed) == 0, "it has ended")
    } else {
      #expect(calls.resume(7, returning: "late"))
    }
    #expect(calls.count == 0)
    try await clock.waitForWakeUp(within: .watchdog)
    #expect(clock.sleeperCount == 0)
  }

  @Test(arguments: sharing, CancellationResponse.heeding)
  func `an id is free when onCancel has returned, if the SDK forgets a cancelled call`(
    policy: Policy,
    response: CancellationResponse
  ) async throws {
    let calls = PendingCalls<Int, String>(ifTaken: policy, lateAnswers: .seconds(0))
    let first = begin("a", calls, response)
    let second = begin("b", calls)
    cancel(first)
    await #expect(throws: CancellationError.self) { try await value(of: first) }
    #expect(calls.count == 1)
    #expect(calls.resume(7, returning: "own"))
    #expect(try await value(of: second) == "own")
    #expect(events.filter { $0.contains("a") } == ["a", "cancel a", "a throws"])
  }

  @Test(arguments: [false, true])
  func `all calls are ended, also those that wait or have just got their turn`(
    isClosed: Bool
  ) async throws {
    let calls = makeCalls(.waitForTurn)
    cancel(begin("late", calls, id: 9))
    let tasks = ["a", "b", "c", "d"].map { begin($0, calls) } + [begin("other", calls, id: 8)]
    #expect(calls.resume(7, returning: "1"))
    // The turn of the second call has come, and its task has not gone on: it is a later call.
    if isClosed {
      calls.close(throwing: SDKError.failed)
    } else {
      #expect(calls.resumeAll(throwing: SDKError.failed) == 3)
    }
    #expect(calls.count == (isClosed ? 0 : 1))
    #expect(try await value(of: tasks[0]) == "1")
    for task in tasks.dropFirst(isClosed ? 1 : 2) {
      await #expect(throws: SDKError.failed) { try await value(of: task) }
    }
    #expect(events.filter { $0.count == 1 } == (isClosed ? ["a"] : ["a", "b"]), "not called")
    #expect(events.filter { ["c throws", "d throws"].contains($0) } == ["c throws", "d throws"])
    #expect(calls.resume(7, returning: "2") == !isClosed)
    #expect((try? await value(of: tasks[1])) == (isClosed ? nil : "2"))
    #expect(calls.count == 0)
  }

  @Test(arguments: sharing)
  func `a call whose id the SDK returns takes its place behind the calls that have it`(
    policy: Policy
  ) async throws {
    let calls = makeCalls(policy)
    let first = begin("a", calls)
    let second = Task(executorPreference: executor) { try await calls.value { 7 } }
    executor.runUntilIdle()
    let third = begin("c", calls)
    #expect(events.contains("c") == (policy == .answerInOrder))
    #expect(calls.resume(7, returning: "1"))
    executor.runUntilIdle()
    #expect(events.contains("c") == (policy == .answerInOrder), "two calls are over then")
    #expect(calls.resume(7, returning: "2"))
    executor.runUntilIdle()
    #expect(calls.resume(7, returning: "3"))
    #expect(try await value(of: first) == "1")
    #expect(try await value(of: second) == "2")
    #expect(try await value(of: third) == "3")
    await #expect(throws: SDKError.failed) {
      try await calls.value {
        #expect(calls.resumeAll(throwing: SDKError.failed) == 1)
        return 7
      }
    }
    #expect(calls.count == 0)
  }

  @Test
  func `an asynchronous operation waits for its turn, and frees it when it throws`() async throws {
    let calls = makeCalls(.waitForTurn)
    let (begun, mayEnd) = (Signal(), Signal())
    let first = Task {
      try await calls.value(for: 7, whenCancelled: .waitForCallback) {
        begun.fire()
        await mayEnd.wait()
        try Task.checkCancellation()
      }
    }
    await begun.wait()
    let second = Task {
      try await calls.value(for: 7) {
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

  @Test
  func `a call that waits for its turn is listed with its id, and may have a fallback`() async {
    let calls = makeCalls(.waitForTurn)
    let line = Reports.shared.uniqueLine()
    let first = begin("a", calls)
    let second = Task { await calls.value(for: 7, fallback: "none", line: line) {} }
    func texts() -> [String] {
      WaitingCall.all.filter { $0.callSite.line == line }.map { "\($0)" }
    }
    while texts().isEmpty { await Task.yield() }
    #expect(texts() == ["\(#fileID):\(line), id 7, waits for its turn"])
    second.cancel()
    #expect(await second.value == "none")
    #expect(calls.resume(7, returning: "1"))
    #expect((try? await value(of: first)) == "1")
    #expect(texts() == [])
  }

  @Test(arguments: [false, true])
  func `a call alone keeps its place no longer than late answers are expected`(
    isAnsweredInOnCancel: Bool
  ) async throws {
    let call = PendingCall<String>(lateAnswers: .seconds(0))
    let first = Task(executorPreference: executor) {
      try await call.value {
      } onCancel: {
        if isAnsweredInOnCancel { call.resume(returning: "late") }
      }
    }
    executor.runUntilIdle()
    first.cancel()
    executor.runUntilIdle()
    #expect(call.count == 0)
    let own = try await call.value { #expect(call.resume(returning: "own")) }
    #expect(own == "own")
  }

  @Test
  func `the memory for many ids is given back, and no ticket is used twice`() throws {
    var registry = CallRegistry<Int>()
    var tickets: Set<Int> = []
    for id in 0..<10_000 { _ = registry.inLine(id) { $0.ask() } }
    #expect(registry.count == 10_000 && registry.lines.capacity >= 10_000)
    for id in 0..<10_000 {
      #expect(registry.inLine(id) { $0.decline() }.id == id)
      tickets.insert(try #require(registry.inLine(id) { $0.ask() }.result))
      _ = registry.inLine(id) { $0.decline() }
    }
    #expect(registry.lines.capacity < 1_000)
    #expect(tickets.count == 10_000)
  }
}
