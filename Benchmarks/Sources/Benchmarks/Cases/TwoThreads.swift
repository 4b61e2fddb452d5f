import CooperativeCancellation
import Dispatch
import Synchronization

// A task of the global executor waits for a callback on a queue's thread.

extension [Comparison] {
  static func twoThreads() -> [Comparison] {
    let queue = DispatchQueue(label: "SDK")
    let calls = 200
    @Sendable func load(_ completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
      queue.async { completion(.success(1)) }
    }
    return [
      Comparison(
        name: "answers on a dispatch queue",
        baseline: "raw checked continuation",
        unit: .nanoseconds,
        goal: .atMost(1.05),
        rounds: 300,
        sample: {
          try nanoseconds(per: calls) {
            try runOnGlobalExecutor {
              for _ in 0..<calls {
                use(try await withAsyncThrowingValue { load($0) })
              }
            }
          }
        },
        sampleBaseline: {
          try nanoseconds(per: calls) {
            try runOnGlobalExecutor {
              for _ in 0..<calls {
                use(
                  try await withCheckedThrowingContinuation { continuation in
                    load { continuation.resume(with: $0) }
                  }
                )
              }
            }
          }
        }
      )
    ]
  }
}

private func runOnGlobalExecutor(_ body: @escaping @Sendable () async throws -> Void) throws {
  let failure = Mutex<(any Error)?>(nil)
  let isOver = DispatchSemaphore(value: 0)
  Task.detached {
    do {
      try await body()
    } catch {
      failure.withLock { $0 = error }
    }
    isOver.signal()
  }
  isOver.wait()
  if let error = failure.withLock({ $0 }) { throw error }
}
