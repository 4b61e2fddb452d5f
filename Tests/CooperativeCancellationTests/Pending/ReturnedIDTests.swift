import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Ids that the SDK returns: an answer may come before them.
@Suite("Pending calls, ids that the call returns", .watchdog)
struct ReturnedIDTests {
  private final class Unclaimed: Sendable {
    let answers = Protected<[String]>([])

    func makeCalls() -> PendingCalls<Int, String> {
      PendingCalls { id, answer in
        let text = (try? answer.get()) ?? "failed"
        self.answers.withLock { $0.append("\(id) \(text)") }
      }
    }

    var all: [String] { answers.withLock { $0 } }
  }

  private let unclaimed = Unclaimed()

  @Test
  func `an answer that comes before the id is found, and an answer for no call is passed on`()
    async throws
  {
    let calls = unclaimed.makeCalls()
    let value = try await calls.value {
      #expect(calls.resume(8, returning: "other"))
      #expect(calls.resume(7, returning: "own"))
      #expect(calls.resume(7, returning: "second"))
      #expect(calls.resume(9, throwing: SDKError.failed))
      return 7
    }
    #expect(value == "own")
    #expect(unclaimed.all == ["8 other", "7 second", "9 failed"])
    #expect(calls.isEmpty)
    #expect(!calls.resume(7, returning: "late"))
    #expect(unclaimed.all.count == 3)
  }

  @Test
  func `an answer waits for the calls that were being made when it came, and for no others`()
    async throws
  {
    let calls = unclaimed.makeCalls()
    let signals = (0..<3).map { _ in Signal() }
    var tasks: [Task<String, any Error>] = []
    for number in 0..<3 {
      tasks.append(
        Task {
          try await calls.value {
            await signals[number].wait()
            return number
          }
        }
      )
      while calls.count == number { await Task.yield() }
      if number == 1 {
        #expect(calls.resume(1, returning: "one"))
        #expect(calls.resume(9, returning: "nobody's"))
      }
    }
    signals[1].fire()
    #expect(try await tasks[1].value == "one")
    #expect(unclaimed.all == [], "the first one may still claim it")
    signals[0].fire()
    while unclaimed.all.isEmpty { await Task.yield() }
    #expect(unclaimed.all == ["9 nobody's"], "the last one began when it had come")
    signals[2].fire()
    calls.close(throwing: SDKError.failed)
    for task in [tasks[0], tasks[2]] {
      await #expect(throws: SDKError.failed) { try await task.value }
    }
  }

  @Test
  func `the id of a call that was answered together with all does not name the next call`()
    async throws
  {
    let calls = unclaimed.makeCalls()
    let signals = [Signal(), Signal()]
    func begin(_ number: Int) async -> Task<String, any Error> {
      let task = Task {
        try await calls.value {
          await signals[number].wait()
          return number
        }
      }
      while calls.isEmpty { await Task.yield() }
      return task
    }
    let first = await begin(0)
    #expect(calls.resumeAll(returning: "all") == 1)
    let second = await begin(1)
    signals[0].fire()
    #expect(try await first.value == "all")
    #expect(calls.resume(0, returning: "late"))
    #expect(calls.resume(1, returning: "own"))
    signals[1].fire()
    #expect(try await second.value == "own")
    #expect(unclaimed.all == ["0 late"])
  }

  @Test
  func `a call that throws gives up the answers that came meanwhile`() async {
    let calls = unclaimed.makeCalls()
    await #expect(throws: SDKError.failed) {
      try await calls.value {
        calls.resume(1, returning: "one")
        throw SDKError.failed
      }
    }
    #expect(unclaimed.all == ["1 one"])
  }

  @Test
  func `close gives up the answers that came meanwhile`() async {
    let calls = unclaimed.makeCalls()
    await #expect(throws: SDKError.failed) {
      try await calls.value {
        calls.resume(1, returning: "one")
        calls.close(throwing: SDKError.failed)
        #expect(unclaimed.all == ["1 one"])
        return 1
      }
    }
    #expect(calls.isEmpty)
  }

  @Test
  func `an id that another call has is refused, and the other call gets the answer`() async throws {
    let calls = unclaimed.makeCalls()
    let executor = ManualExecutor()
    let first = Task(executorPreference: executor) { try await calls.value { 1 } }
    executor.runUntilIdle()
    await #expect(throws: AlreadyPendingError.self) { try await calls.value { 1 } }
    #expect(calls.resume(1, returning: "one"))
    executor.runUntilIdle()
    #expect(try await first.value == "one")
    #expect(calls.isEmpty)
  }

  @Test
  func `onCancel receives the id, which is free by then`() async {
    let calls = unclaimed.makeCalls()
    let executor = ManualExecutor()
    let cancelled = Protected<[Int]>([])
    let task = Task(executorPreference: executor) {
      try await calls.value {
        7
      } onCancel: { id in
        cancelled.withLock { $0.append(id) }
        #expect(!calls.resume(id, returning: "late"))
      }
    }
    executor.runUntilIdle()
    task.cancel()
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(cancelled.withLock { $0 } == [7])
  }
}
