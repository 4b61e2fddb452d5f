import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What only a continuation does. ``GuaranteeTests`` and the races have the rest.
@Suite("Continuations", .watchdog) struct ContinuationTests {
  private typealias Continuation = CancellableContinuation<Int, any Error>

  /// A wait in a task of its own, on the thread of the test.
  private struct Waiting {
    let executor = ManualExecutor()
    let task: Task<Int, any Error>
    let continuation: Continuation

    init(_ response: CancellationResponse) throws {
      let stored = Protected<Continuation?>(nil)
      task = Task(executorPreference: executor) {
        try await withCancellableThrowingContinuation(whenCancelled: response) { continuation in
          stored.withLock { $0 = continuation }
        }
      }
      executor.runUntilIdle()
      continuation = try #require(stored.withLock { $0.take() })
    }

    func end() async -> Result<Int, any Error> {
      executor.runUntilIdle()
      return await task.result
    }
  }

  @Test(arguments: CancellationResponse.allCases)
  func `a resumption is told whether it decides, before and after a cancellation`(
    response: CancellationResponse
  ) async throws {
    for isCancelled in [false, true] {
      let waiting = try Waiting(response)
      if isCancelled { waiting.task.cancel() }
      let decides = !isCancelled || response.delivers
      #expect(waiting.continuation.tryResume(returning: 1) == decides)
      #expect(waiting.continuation.tryResume(returning: 2) == false)
      #expect(waiting.continuation.tryResume(throwing: SDKError.failed) == false)
      let value = try? await waiting.end().get()
      #expect(value == (decides ? 1 : nil))
      let failing = try Waiting(response)
      if isCancelled { failing.task.cancel() }
      #expect(failing.continuation.tryResume(throwing: SDKError.failed) == decides)
      let result = await failing.end()
      if decides { #expect(throws: SDKError.failed) { try result.get() } }
    }
  }

  @Test func `a continuation takes a result with a narrower error, and nothing for Void`() async {
    await #expect(throws: SDKError.failed) {
      try await withCancellableThrowingContinuation { (continuation: Continuation) in
        continuation.resume(with: Result<Int, SDKError>.failure(.failed))
      }
    }
    await withUncancellableContinuation { continuation in
      #expect(continuation.tryResume() == true)
      return continuation.resume(with: .success(()))
    }
    let number = try? await withCancellableThrowingContinuation { $0.resume(orFail: 1) }
    #expect(number == 1)
  }

  @Test func `an uncancellable wait for Void does not end with a drop, which is reported`() {
    let (executor, hasEnded) = (ManualExecutor(), Protected(false))
    let line = Reports.shared.uniqueLine()
    Task(executorPreference: executor) {
      await withUncancellableContinuation(line: line) { (_: CancellableContinuation<Void, Never>) in
      }
      hasEnded.withLock { $0 = true }
    }
    executor.runUntilIdle()
    #expect(!hasEnded.withLock { $0 })
    #expect(Reports.shared.take(line: line) == [.completionDropped])
  }

  @Test func `a set of continuations finds each again`() async {
    let waiting = Protected<Set<CancellableContinuation<Void, any Error>>>([])
    let tasks = (0..<2).map { _ in
      Task {
        try await withCancellableThrowingContinuation { continuation in
          waiting.withLock { _ = $0.insert(continuation) }
          return continuation
        } onCancel: { continuation in
          waiting.withLock { #expect($0.remove(continuation) == continuation) }
        }
      }
    }
    while waiting.withLock({ $0.count < 2 }) { await Task.yield() }
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(waiting.withLock { $0.isEmpty })
  }
}

// As an extension of a `CheckedContinuation` reads after find-and-replace.
extension CancellableContinuation where T == Int, E == any Error {
  fileprivate func resume(orFail value: T?) {
    if let value { resume(returning: value) } else { resume(throwing: SDKError.failed) }
  }
}
