import CooperativeCancellation
import CooperativeCancellationTesting
import Dispatch
import FakeCallbackSDK
import Testing

@Suite("Checkpoints", .watchdog)
struct CheckpointTests {
  struct CleanUpFailed: Error {}

  /// Runs `body` in a task of its own that is cancelled already, or not.
  private func inTask<Value: Sendable>(
    cancelled: Bool,
    _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, any Error> {
    await Task {
      if cancelled { cancelThisTask() }
      return try await body()
    }.result
  }

  @Test(arguments: [false, true])
  func `checkpoint throws if and only if the task is cancelled`(cancelled: Bool) async throws {
    let result = await inTask(cancelled: cancelled) { try checkpoint() }
    #expect((result.error is CancellationError) == cancelled)
    let yielding = await inTask(cancelled: cancelled) { try await yieldingCheckpoint() }
    #expect((yielding.error is CancellationError) == cancelled)
  }

  @Test
  func `checkpoint works in synchronous code`() async {
    @Sendable func sum(_ numbers: ClosedRange<Int>) throws(CancellationError) -> Int {
      var sum = 0
      for number in numbers {
        try checkpoint()
        sum += number
      }
      return sum
    }
    let kept = await inTask(cancelled: false) { try sum(1...10) }
    #expect(kept.value == 55)
    let cancelled = await inTask(cancelled: true) { try sum(1...10) }
    #expect(cancelled.error is CancellationError)
  }

  @Test(arguments: [false, true])
  func `clean-up runs once, before the error, if and only if the task is cancelled`(
    cancelled: Bool
  ) async {
    let log = Protected<[String]>([])
    let synchronous = await inTask(cancelled: cancelled) {
      try checkpoint { log.withLock { $0.append("cleaned") } }
      log.withLock { $0.append("worked") }
    }
    #expect((synchronous.error is CancellationError) == cancelled)
    #expect(log.withLock { $0 } == [cancelled ? "cleaned" : "worked"])

    let asynchronous = await inTask(cancelled: cancelled) {
      try await checkpoint {
        await Task.yield()
        try Task.checkCancellation()
        log.withLock { $0.append("cleaned slowly") }
      }
      log.withLock { $0.append("worked") }
    }
    #expect((asynchronous.error is CancellationError) == cancelled)
    #expect(log.withLock { $0.last } == (cancelled ? "cleaned slowly" : "worked"))
    #expect(log.withLock { $0.count } == 2)
  }

  @Test
  func `an error from the clean-up is thrown instead`() async {
    let synchronous = await inTask(cancelled: true) { try checkpoint { throw CleanUpFailed() } }
    #expect(synchronous.error is CleanUpFailed)
    let asynchronous = await inTask(cancelled: true) {
      try await checkpoint {
        await Task.yield()
        throw CleanUpFailed()
      }
    }
    #expect(asynchronous.error is CleanUpFailed)
  }

  @Test
  func `yieldingCheckpoint lets another task of the executor run, then checks for cancellation`() {
    let executor = ManualExecutor()
    let ended = Protected<Bool?>(nil)
    let task = Task(executorPreference: executor) {
      let result: Bool
      do {
        try await yieldingCheckpoint()
        result = false
      } catch {
        result = true
      }
      ended.withLock { $0 = result }
    }
    Task(executorPreference: executor) { task.cancel() }
    executor.runUntilIdle()
    #expect(ended.withLock { $0 } == true, "it yields first, then checks")
  }

  #if DEBUG
    @Test
    func `a checkpoint outside any task is reported with its call site in debug builds`() async {
      let forms: [@Sendable (UInt) -> Void] = [
        { try? checkpoint(line: $0) },
        { try? checkpoint(line: $0) {} },
        { line in
          var pace = PacedCheckpoint(every: 1)
          try? pace.checkpoint(line: line)
        },
      ]
      for form in forms {
        let line = Reports.shared.uniqueLine()
        await withAsyncValue { done in
          DispatchQueue.global().async {
            form(line)
            done()
          }
        }
        #expect(Reports.shared.kinds(line: line) == [.checkpointOutsideTask])
        #expect(Reports.shared.texts(line: line)[0].contains("outside any task"))
      }
      let inside = Reports.shared.uniqueLine()
      try? checkpoint(line: inside)
      #expect(Reports.shared.kinds(line: inside) == [])
    }
  #endif
}

@Suite("PacedCheckpoint", .watchdog)
struct PacedCheckpointTests {
  /// The steps, counted from 1, at which a pace checks.
  private func looks(_ pace: PacedCheckpoint, steps: Int, tick: () -> Void = {}) async -> [Int] {
    var pace = pace
    var looks: [Int] = []
    for step in 1...steps {
      tick()
      do { try pace.checkpoint() } catch { looks.append(step) }
    }
    return looks
  }

  /// The same, for the one that yields.
  private func yieldingLooks(_ pace: PacedCheckpoint, steps: Int) async -> [Int] {
    var pace = pace
    var looks: [Int] = []
    for step in 1...steps {
      do { try await pace.yieldingCheckpoint() } catch { looks.append(step) }
    }
    return looks
  }

  @Test
  func `goes on after a check if the task is not cancelled`() async throws {
    try await Task.detached {
      var pace = PacedCheckpoint(every: 2)
      var steps = 0
      for _ in 0..<10 {
        try pace.checkpoint()
        steps += 1
      }
      #expect(steps == 10)
    }.value
  }

  @Test
  func `checks at every n-th step`() async {
    let task = Task {
      cancelThisTask()
      #expect(await looks(PacedCheckpoint(every: 3), steps: 10) == [3, 6, 9])
      #expect(await yieldingLooks(PacedCheckpoint(every: 3), steps: 10) == [3, 6, 9])
      #expect(await looks(PacedCheckpoint(every: 1), steps: 3) == [1, 2, 3])
      #expect(await looks(PacedCheckpoint(every: 0), steps: 3) == [1, 2, 3])
      #expect(await looks(PacedCheckpoint(every: .min), steps: 2) == [1, 2])
      #expect(await looks(PacedCheckpoint(every: .max), steps: 100) == [])
    }
    await task.value
  }

  @Test
  func `paced by time, checks after each interval, and reads the clock at every n-th step`() async {
    let task = Task {
      cancelThisTask()
      let clock = ManualClock()
      let interval = Timeout(.milliseconds(10), clock: clock)
      let pace = PacedCheckpoint(every: interval, readingClockEvery: 2)
      // Each step takes 3 ms; read at 6, 12, 18, 24, 30, … ms; due at 10, then 10 after each check.
      let steps = await looks(pace, steps: 16) { clock.advance(by: .milliseconds(3)) }
      #expect(steps == [4, 8, 12, 16])
      let each = PacedCheckpoint(every: interval, readingClockEvery: 1)
      #expect(await looks(each, steps: 9) { clock.advance(by: .milliseconds(4)) } == [3, 6, 9])
      let always = PacedCheckpoint(every: .seconds(0), readingClockEvery: 2)
      #expect(await looks(always, steps: 6) == [2, 4, 6])
      let never = PacedCheckpoint(every: .seconds(.infinity), readingClockEvery: 1)
      #expect(await looks(never, steps: 6) == [])
      // On the library's own clock, the time comes as well.
      var real = PacedCheckpoint(every: .milliseconds(1), readingClockEvery: 1)
      while (try? real.checkpoint()) != nil {}
    }
    await task.value
  }

  @Test
  func `paced by time, checks after each interval of a clock that jumps by ages`() async {
    let task = Task {
      cancelThisTask()
      let clock = ManualClock()
      let interval = Timeout(.milliseconds(10), clock: clock)
      let pace = PacedCheckpoint(every: interval, readingClockEvery: 2)
      let steps = await looks(pace, steps: 4) { clock.advance(by: .seconds(Int64.max)) }
      #expect(steps == [2, 4])
    }
    await task.value
  }

  @Test
  func `does not throw in a task that is not cancelled`() async throws {
    var pace = PacedCheckpoint(every: 2)
    for _ in 1...10 {
      try pace.checkpoint()
      try await pace.yieldingCheckpoint()
    }
  }

  @Test
  func `yields only when it checks`() {
    let unpaced = ManualExecutor()
    Task(executorPreference: unpaced) {
      for _ in 1...2 { try await yieldingCheckpoint() }
    }
    unpaced.runUntilIdle()
    #expect(unpaced.jobCount > 1)
    let paced = ManualExecutor()
    Task(executorPreference: paced) {
      var pace = PacedCheckpoint(every: 4)
      for _ in 1...10 { try await pace.yieldingCheckpoint() }
    }
    paced.runUntilIdle()
    #expect(paced.jobCount == unpaced.jobCount, "looks at steps 4 and 8")
  }
}

extension Result {
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }

  fileprivate var value: Success? {
    if case .success(let value) = self { value } else { nil }
  }
}
