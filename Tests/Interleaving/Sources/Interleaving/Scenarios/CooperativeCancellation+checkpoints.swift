import CooperativeCancellation

extension Scenario {
  static let checkpoints = [flag, flagOfTimeout, cleanup, cleanupOnMainActor, cleanupOfError]

  // MARK: Flags

  /// The thread that cancels sets the flag at once, or the task before `body` runs.
  private static let flag = Scenario(
    "flag: answer, cancellation",
    outcomes: [
      "goes on, value", "goes on, cancelled, forwarded, discarded",
      "stops, cancelled, forwarded, discarded", "cancelled",
    ]
  ) { run in
    let call = Call(in: run)
    let flag = Shared<CancellationFlag?>(nil)
    let isCancelled = Shared(false)
    let task = call.begin {
      try await withCancellationFlag { given in
        run.expect(!isCancelled.value || given.isCancelled, "body runs before the flag is set")
        flag.value = given
        defer { flag.value = nil }
        return try await bridge(call, in: run) { run, call, completion in
          run.thread("SDK") {
            let stops = given.isCancelled
            run.expect(!isCancelled.value || given.isCancelled, "the SDK is not told to stop")
            run.saw(stops ? "stops" : "goes on")
            completion(.success(call.value()))
          }
        }
      }
    }
    run.thread("canceller") {
      task.cancel()
      if let flag = flag.value { run.expect(flag.isCancelled, "the flag is not set at once") }
      isCancelled.value = true
    }
  }

  /// Only `onCancel` sets the flag.
  private static let flagOfTimeout = Scenario(
    "flag: answer, alarm",
    outcomes: ["goes on, value", "goes on, timed out, discarded", "stops, timed out, discarded"]
  ) { run in
    let call = Call(in: run)
    call.begin {
      try await withCancellationFlag { flag in
        try await withAsyncThrowingValue(timeout: .seconds(5)) {
          (completion: @escaping Completion) in
          run.thread("SDK") {
            run.saw(flag.isCancelled ? "stops" : "goes on")
            completion(.success(call.value()))
          }
        } onCancel: {
          flag.set()
        } onDiscard: {
          call.onDiscard($0)
        }
      }
    }
  }

  // MARK: Cleanups

  /// Runs once, in a task that is not cancelled, and before the error is thrown.
  private static func clean(_ call: Call, in run: Run) {
    run.userCode("cleanup")
    run.expect(!Task.isCancelled, "the cleanup's task is cancelled")
    run.expect(call.result == nil, "the cleanup runs after the call")
    run.saw("cleanup")
  }

  private static let cleanupOutcomes: Set = [
    "value", "cleanup, cancelled", "cleanup, cancelled, forwarded, discarded",
    "cleanup, cancelled, forwarded, discarded",
  ]

  private static let cleanup = Scenario(
    "cleanup: answer, cancellation",
    outcomes: cleanupOutcomes
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      try await withCancellationCleanup {
        try await bridge(call, in: run) { run, call, completion in
          run.thread("SDK") { completion(.success(call.value())) }
        }
      } cleanup: {
        clean(call, in: run)
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  private static let cleanupOnMainActor = Scenario(
    "cleanup, main actor: answer, cancellation",
    outcomes: cleanupOutcomes
  ) { run in
    let call = Call(in: run)
    let task = call.begin { @MainActor in
      try await withCancellationCleanup {
        try await bridge(call, in: run) { run, call, completion in
          run.thread("SDK") { completion(.success(call.value())) }
        }
      } cleanup: {
        MainActor.preconditionIsolated()
        clean(call, in: run)
      }
    }
    run.thread("canceller") { task.cancel() }
  }

  /// The SDK's own error, in a task that may be cancelled.
  private static let cleanupOfError = Scenario(
    "cleanup: error, cancellation",
    outcomes: ["error", "cleanup, error", "cleanup, cancelled", "cleanup, cancelled, forwarded"]
  ) { run in
    let call = Call(in: run)
    let task = call.begin {
      try await withCancellationCleanup {
        try await bridge(call, in: run) { run, _, completion in
          run.thread("SDK") { completion(.failure(SDKError())) }
        }
      } cleanup: {
        clean(call, in: run)
      }
    }
    run.thread("canceller") { task.cancel() }
  }
}
