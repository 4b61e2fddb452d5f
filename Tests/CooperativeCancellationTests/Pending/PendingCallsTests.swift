import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// What is special about calls whose answers come by id.
@Suite("Pending calls", .watchdog) struct PendingCallsTests {
  private let calls = PendingCalls<Int, String>()

  @Test
  func `a value that a call took and does not return is discarded on the caller's actor`() async {
    let discarded = Protected<[String]>([])
    let task = Task { @MainActor [calls] in
      try await calls.value(for: 1, whenCancelled: .waitForCallback) {
        withUnsafeCurrentTask { $0?.cancel() }
      } onCancel: {
        Task.detached { #expect(calls.tryResume(1, returning: "late")) }
      } onDiscard: { value in
        MainActor.assertIsolated()
        discarded.withLock { $0.append(value) }
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(discarded.withLock { $0 } == ["late"])
  }

  @Test func `an id that is taken is refused before the SDK is called`() async throws {
    let executor = ManualExecutor()
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
}
