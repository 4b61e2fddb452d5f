import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import MallocStatistics
import Synchronization
import Testing

private let calls = tries(300_000)
private let atOnce = tries(100_000)
private let races = tries(300_000)

private func answer(
  of sdk: PatientSDK,
  _ timeout: Timeout?,
  _ isolation: isolated (any Actor)?
) async throws -> Int {
  try await withAsyncThrowingValue(timeout: timeout) { sdk.begin($0) }
}

@Suite("Many timeouts", .serialized, .watchdog)
struct ManyTimeoutsTests {
  /// Runs calls that are answered in time. Returns how many more bytes malloc has in use then.
  private static func left(by count: Int, atOnce: Int, timeout: Timeout?) -> Int {
    let sdk = PatientSDK()
    let actor = HandDrivenActor()
    let executor = actor.executor
    let answers = Protected(0)
    let before = malloc_bytes_in_use()
    // One expectation for all rounds: thousands of failures take minutes to report.
    var isCountRight = true
    for _ in 0..<count / atOnce {
      for number in 0..<atOnce {
        Task(executorPreference: executor) {
          // Half of them on an actor.
          let answer = try await answer(of: sdk, timeout, number.isMultiple(of: 2) ? actor : nil)
          answers.withLock { $0 += answer }
        }
      }
      executor.runUntilIdle()
      isCountRight = isCountRight && Deadlines.all.count == (timeout == nil ? 0 : atOnce)
      sdk.answerAll()
      executor.runUntilIdle()
    }
    #expect(isCountRight)
    #expect(answers.withLock { $0 } == count)
    #expect(Deadlines.all.count == 0)
    return malloc_bytes_in_use() - before
  }

  @Test(.enabled(if: mallocCounts))
  func `calls that are answered in time leave nothing`() async {
    // A process of its own, because other tests use memory too.
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      for (count, atOnce) in [(calls, 1), (atOnce, atOnce)] {
        // The first calls allocate what is allocated once.
        _ = Self.left(by: 100, atOnce: 10, timeout: .seconds(60))
        // If any round leaves nothing, the rest is the allocator's.
        var more = Int.max
        for _ in 1...5 where more > 100_000 {
          let without = Self.left(by: count, atOnce: atOnce, timeout: nil)
          let with = Self.left(by: count, atOnce: atOnce, timeout: .seconds(60))
          more = with - max(0, without)
          print(
            "\(count) calls, \(atOnce) at once: \(with) bytes left with a timeout, \(without) without"
          )
        }
        #expect(more <= 100_000)
      }
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }

  @Test
  func `timeouts that are due within one second all come, each once and none early`() async {
    // A process of its own, because other tests keep the threads of the pool.
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      // When the first one is due, all are waiting. Not a group: it takes quadratic time for so many.
      let second = ContinuousClock.now.advanced(by: .seconds(1))
      let calls = (0..<atOnce).map { _ in
        let end = second.advanced(by: .nanoseconds(.random(in: 1...1_000_000_000)))
        return Task { await Self.lateness(of: ContinuousClock.now.duration(to: end)) }
      }
      var late: [Duration] = []
      for call in calls {
        if let one = await call.value { late.append(one) }
      }
      late.sort()
      #expect(late.count == atOnce, "every call times out")
      #expect(late.first ?? .seconds(-1) >= .zero, "none early")
      let (median, most) = (late[late.count / 2], late[late.count - 1])
      print("\(late.count) timeouts: late by \(median) in the median, \(most) at most")
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }

  /// How late a call times out if its SDK never answers.
  private static func lateness(of timeout: Duration) async -> Duration? {
    let start = ContinuousClock.now
    do {
      _ = try await withAsyncThrowingValue(timeout: Timeout(timeout)) {
        (completion: @escaping PatientSDK.Completion) in
        completion  // Returned, and so kept until the wait ends.
      }
      return nil
    } catch {
      return error is TimeoutError ? start.duration(to: .now) - timeout : nil
    }
  }

  /// One thread adds waits, and ends each when its time is about to be up; another rings.
  @Test
  func `when an answer and a timeout race, one of them wins and nothing is left`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardOutputContent]
    ) {
      var split = Split(of: ["answered", "timed out"])
      var random = SystemRandomNumberGenerator()
      while split.goesOn(for: races / 10, often: 100) {
        // Some at a time, so that the queue has something to keep in order.
        let calls = (0..<10).map { _ in
          let wait = Wait(response: .abandonCallback)
          let length = Int64.random(in: 0...20_000, using: &random)
          let end = Moment.now.advanced(by: length)
          return (wait, ticket: Deadlines.all.add(wait, until: end), end, length)
        }
        for (wait, ticket, end, length) in calls {
          // An answer somewhat before the time, or somewhat after it.
          let answer = end.advanced(by: .random(in: -length...length, using: &random))
          spin { answer < .now }
          split[wait.receive(.dropped).counts ? "answered" : "timed out"] += 1
          Deadlines.all.remove(wait, by: ticket)
        }
      }
      print("ten answers and timeouts: \(split)")
      #expect(Deadlines.all.count == 0)
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }
}
