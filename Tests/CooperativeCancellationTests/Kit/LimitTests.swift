import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import PendingAnswers
import Testing

@Suite("A wait in a test", .watchdog) struct LimitTests {
  @Test func `a wait fails at its limit, and says where and for what`() async throws {
    let (forever, end) = AsyncStream<Never>.makeStream()
    let never = Task.detached { for await _ in forever {} }
    let (calls, clock) = (FakeCall<Int>(), ManualClock())
    let sleep = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }
    try await clock.waitForSleeper(within: .watchdog)
    let line: UInt = 7
    let waits: [(event: String, wait: @Sendable (Timeout) async throws -> Void)] = [
      ("the task did not end", { _ = try await never.value(within: $0, line: line) }),
      ("the SDK was not called", { _ = try await calls.next(within: $0, line: line) }),
      (
        "the SDK was not told to cancel",
        { try await FakeCall<Int>().record(1).cancelled(within: $0, line: line) }
      ),
      (
        "nothing began to sleep on the clock",
        { try await clock.waitForSleeper(within: $0, line: line) }
      ),
      (
        "no such call was waiting",
        { try await waitForCalls(in: "None.swift", within: $0, line: line) }
      ),
      (
        "fewer than 2 such calls were waiting",
        { try await waitForCalls(2, at: CallSite(line: 1), id: 7, within: $0, line: line) }
      ),
    ]
    for (event, wait) in waits {
      let error = await #expect(throws: TimeLimitError.self) { try await wait(.milliseconds(1)) }
      #expect(error?.callSite == CallSite(line: line))
      let text = "\(#fileID):\(line): \(event) within 1 millisecond."
      #expect(error?.description.hasPrefix(text) == true)
    }
    sleep.cancel()
    end.finish()
  }

  @Test
  func `a wait for calls finds them by their place, their file or their id`() async throws {
    WaitingCalls.startRecording()
    let (first, second) = (Reports.shared.uniqueLine(), Reports.shared.uniqueLine())
    let calls = PendingCalls<String, Void>()
    let file = "LimitTests.swift"
    let tasks = [("a \(first)", first), ("b \(first)", first), ("c \(first)", second)].map {
      id,
      line in
      Task { try await calls.value(for: id, line: line) {} }
    }
    try await waitForCalls(2, at: CallSite(line: first), within: .watchdog)
    try await waitForCalls(
      at: CallSite(line: second),
      in: file,
      id: "c \(first)",
      within: .watchdog
    )
    try await waitForCalls(3, in: "CooperativeCancellationTests/\(file)", within: .watchdog)
    let (numbers, line) = (PendingCalls<Int, Void>(), Reports.shared.uniqueLine())
    let number = Task { try await numbers.value(for: 7, line: line) {} }
    try await waitForCalls(at: CallSite(line: line), id: 7, within: .watchdog)
    await #expect(throws: TimeLimitError.self, "the type of an id counts") {
      try await waitForCalls(at: CallSite(line: line), id: 7.0, within: .milliseconds(1))
    }
    await #expect(throws: TimeLimitError.self, "two are fewer than three") {
      try await waitForCalls(3, at: CallSite(line: first), within: .milliseconds(1))
    }
    await #expect(throws: TimeLimitError.self, "the end of a name is another name") {
      try await waitForCalls(in: "itTests.swift", id: "a \(first)", within: .milliseconds(1))
    }
    for task in tasks + [number] { task.cancel() }
    for task in tasks + [number] {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    await #expect(throws: TimeLimitError.self) {
      try await waitForCalls(at: CallSite(line: first), within: .milliseconds(1))
    }
  }

  @Test func `a wait for calls does not count one that is over, though its task has not run yet`()
    async throws
  {
    WaitingCalls.startRecording()
    let (calls, line) = (PendingCalls<Int, Void>(), Reports.shared.uniqueLine())
    let executor = ManualExecutor()
    let task = Task(executorPreference: executor) { try await calls.value(for: 7, line: line) {} }
    while WaitingCall.states(line: line).isEmpty {
      executor.runUntilIdle()
      await Task.yield()
    }
    try await waitForCalls(at: CallSite(line: line), within: .watchdog)
    #expect(calls.tryResume(7))
    #expect(WaitingCall.states(line: line) == [.over])
    await #expect(throws: TimeLimitError.self) {
      try await waitForCalls(at: CallSite(line: line), within: .milliseconds(1))
    }
    let ending = Task { try await task.value }
    while !WaitingCall.states(line: line).isEmpty {
      executor.runUntilIdle()
      await Task.yield()
    }
    try await ending.value
  }

  @Test func `a wait that fails lists the calls that wait, but none of the test kit's`()
    async throws
  {
    WaitingCalls.startRecording()
    let line = Reports.shared.uniqueLine()
    let silent = PendingEvent<Void>()
    let task = Task { try await silent.value(line: line) }
    while WaitingCall.states(line: line).isEmpty { await Task.yield() }
    let error = await #expect(throws: TimeLimitError.self) {
      try await task.value(within: .milliseconds(1))
    }
    let text = try #require(error?.description)
    #expect(text.contains("LimitTests.swift:\(line)") || text.contains(" more"))
    #expect(text.contains(" wait"))
    #expect(!text.contains("  CooperativeCancellationTesting/"))
    silent.close(returning: ())
    try await task.value
  }

  @Test func `a wait for a task ends when the test is cancelled`() async {
    let (forever, end) = AsyncStream<Never>.makeStream()
    let never = Task.detached { for await _ in forever {} }
    let test = Task { try await never.value(within: .watchdog) }
    test.cancel()
    await #expect(throws: CancellationError.self) { try await test.value }
    end.finish()
  }

  @Test func `a sleep on a clock does not begin in a cancelled task`() {
    let clock = ManualClock()
    let executor = ManualExecutor()
    let ended = Protected(false)
    let task = Task(executorPreference: executor) {
      await #expect(throws: CancellationError.self) {
        try await clock.sleep(until: clock.now.advanced(by: .seconds(1)))
      }
      ended.withLock { $0 = true }
    }
    task.cancel()
    executor.runUntilIdle()
    #expect(ended.withLock { $0 })
    #expect(clock.sleeperCount == 0)
  }

  /// What a look takes, when the time is up but the waiting task has not had its turn yet, must not
  /// be lost.
  @Test func `a wait for a call gets it, though it comes when the time is up`() async {
    var isWoken = false
    // If the time is up before the task sleeps, nothing wakes it, and it gets nothing.
    while !isWoken {
      let executor = ManualExecutor()
      let calls = FakeCall<Int>()
      let answers = Protected<[Int?]>([])
      Task(executorPreference: executor) {
        let request = try? await calls.next(within: .milliseconds(1))
        if request == nil { answers.withLock { $0.append(nil) } }
        request?.answer { number in answers.withLock { $0.append(number) } }
      }
      executor.runUntilIdle()
      // Wakes the task, which has to wait for its turn.
      while executor.isIdle, answers.withLock({ $0.isEmpty }) { await Task.yield() }
      isWoken = !executor.isIdle
      calls.record(7)
      while answers.withLock({ $0.isEmpty }) {
        executor.runUntilIdle()
        await Task.yield()
      }
      if isWoken { #expect(answers.withLock { $0 } == [7]) }
    }
  }
}
