import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// Ids that the SDK returns: an answer may come before them.
@Suite("Pending calls, ids that the call returns", .watchdog) struct ReturnedIDTests {
  private let unclaimed = Protected<[String]>([])
  private let calls: PendingCalls<Int, String>

  init() {
    calls = PendingCalls { [unclaimed] id, answer in
      let text = (try? answer.get()) ?? "failed"
      unclaimed.withLock { $0.append("\(id) \(text)") }
    }
  }

  private var all: [String] { unclaimed.withLock { $0 } }

  @Test func `an answer that comes before the id is found, and an answer for no call is passed on`()
    async throws
  {
    let value = try await calls.value {
      #expect(calls.tryResume(8, returning: "other"))
      #expect(calls.tryResume(7, returning: "own"))
      #expect(calls.tryResume(7, returning: "second"))
      #expect(calls.tryResume(9, throwing: SDKError.failed))
      return 7
    }
    #expect(value == "own")
    #expect(all == ["8 other", "7 second", "9 failed"])
    #expect(calls.count == 0)
    #expect(!calls.tryResume(7, returning: "late"))
    #expect(all.count == 3)
  }

  @Test(arguments: [false, true])
  func `an answer waits for a call that is being made, also when another start ends meanwhile`(
    throwing: Bool
  ) async throws {
    let executor = ManualExecutor()
    let value = try await calls.value {
      calls.resume(7, returning: "own")
      // Runs here, so it begins and ends while this call has no id.
      let other = Task(executorPreference: executor) {
        try await calls.value {
          if throwing { throw SDKError.failed }
          calls.resume(1, returning: "other")
          return 1
        }
      }
      executor.runUntilIdle()
      #expect(all == [])
      _ = other
      return 7
    }
    #expect(value == "own")
    #expect(all == [])
    #expect(calls.count == 0)
  }

  @Test
  func `answers for other calls are passed on, however the call that is being made ends`() async {
    let executor = ManualExecutor()
    let other = Task(executorPreference: executor) { try await calls.value(for: 1) {} }
    executor.runUntilIdle()
    await #expect(throws: AlreadyPendingError.self) {
      try await calls.value {
        calls.resume(8, returning: "eight")
        return 1
      }
    }
    #expect(all == ["8 eight"])
    // Answered together with all, and throws.
    for end in ["nine", "ten"] {
      await #expect(throws: SDKError.failed) {
        try await calls.value {
          calls.resume(9, returning: end)
          if end == "ten" { throw SDKError.failed }
          #expect(calls.resumeAll(throwing: SDKError.failed) == 2)
          #expect(calls.resumeAll(throwing: SDKError.failed) == 0, "they have their answer")
          return 2
        }
      }
    }
    let later = try? await calls.value {
      calls.resume(2, returning: "later")
      return 2
    }
    #expect(later == "later", "a later call is not affected")
    #expect(all == ["8 eight", "9 nine", "9 ten"])
    executor.runUntilIdle()
    await #expect(throws: SDKError.failed) { try await other.value }
    await #expect(throws: SDKError.failed) {
      try await calls.value {
        calls.resume(1, returning: "one")
        calls.close(throwing: SDKError.failed)
        #expect(all.last == "1 one")
        #expect(!calls.tryResume(2, returning: "two"), "no call can claim it any more")
        return 1
      }
    }
    #expect(calls.count == 0)
  }
}
