import CooperativeCancellation
import CooperativeCancellationTesting
import Dispatch
import FakeCallbackSDK
import Testing

@Suite("Checkpoints", .watchdog) struct CheckpointTests {
  /// A paced one is due at each step.
  @Test(arguments: [false, true], [false, true])
  func `a checkpoint throws if and only if the task is cancelled`(cancelled: Bool, yields: Bool)
    async
  {
    for isPaced in [false, true] {
      let result = await Task {
        if cancelled { cancelThisTask() }
        return await ending {
          var pace = PacedCheckpoint(every: 1)
          switch (isPaced, yields) {
          case (false, false): try checkpoint()
          case (false, true): try await yieldingCheckpoint()
          case (true, false): try pace.checkpoint()
          case (true, true): try await pace.yieldingCheckpoint()
          }
          return "went on"
        }
      }.value
      #expect(result == (cancelled ? .cancelled : .value("went on")), "paced: \(isPaced)")
    }
  }

  @Test
  func `yieldingCheckpoint lets another task of the executor run, then checks for cancellation`() {
    let executor = ManualExecutor()
    let ended = Protected<Ending?>(nil)
    let task = Task(executorPreference: executor) {
      let ending = await ending {
        try await yieldingCheckpoint()
        return ""
      }
      ended.withLock { $0 = ending }
    }
    Task(executorPreference: executor) { task.cancel() }
    executor.runUntilIdle()
    #expect(ended.withLock { $0 } == .cancelled, "it yields first, then checks")
  }

  #if DEBUG
    @Test
    func `a checkpoint outside any task is reported with its call site in debug builds`() async {
      let forms: [@Sendable (UInt) -> Void] = [
        { try? checkpoint(line: $0) },
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

@Suite("PacedCheckpoint", .watchdog) struct PacedCheckpointTests {
  /// The steps, counted from 1, at which a pace checks in a task that is cancelled.
  private func checks(
    _ pace: PacedCheckpoint,
    steps: Int,
    yields: Bool = false,
    tick: @escaping @Sendable () -> Void = {}
  ) async -> [Int] {
    await Task {
      cancelThisTask()
      var pace = pace
      var checks: [Int] = []
      for step in 1...steps {
        tick()
        do {
          if yields { try await pace.yieldingCheckpoint() } else { try pace.checkpoint() }
        } catch {
          checks.append(step)
        }
      }
      return checks
    }.value
  }

  @Test(arguments: [false, true])
  func `a paced checkpoint checks at every n-th step`(yields: Bool) async {
    for (stride, steps, expected): (Int, Int, [Int]) in [
      (3, 10, [3, 6, 9]), (1, 3, [1, 2, 3]), (0, 3, [1, 2, 3]), (.min, 2, [1, 2]), (.max, 100, []),
    ] {
      let checks = await checks(PacedCheckpoint(every: stride), steps: steps, yields: yields)
      #expect(checks == expected)
    }
  }

  @Test
  func `a checkpoint that is paced by time checks after each interval, and seldom reads the clock`()
    async
  {
    let clock = ManualClock()
    let interval = Timeout(.milliseconds(10), clock: clock)
    for (interval, stride, step, steps, expected): (Timeout, Int, Duration, Int, [Int]) in [
      // Read at 6, 12, 18, 24, 30, … ms; due at 10, then 10 after each check.
      (interval, 2, .milliseconds(3), 16, [4, 8, 12, 16]),
      (interval, 1, .milliseconds(4), 9, [3, 6, 9]),
      (interval, 2, .seconds(Int64.max), 4, [2, 4]),
      (.seconds(0), 2, .zero, 6, [2, 4, 6]),
      (.seconds(.infinity), 1, .zero, 6, []),
    ] {
      let pace = PacedCheckpoint(every: interval, readingClockEvery: stride)
      #expect(await checks(pace, steps: steps) { clock.advance(by: step) } == expected)
    }
    // On the library's own clock, the time comes as well.
    await Task {
      cancelThisTask()
      var real = PacedCheckpoint(every: .milliseconds(1), readingClockEvery: 1)
      while (try? real.checkpoint()) != nil {}
    }.value
  }

  @Test func `a paced checkpoint yields only when it checks`() {
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
