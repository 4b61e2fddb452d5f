import CooperativeCancellation
import Dispatch

// A task of the global executor waits for a callback on a queue's thread.

extension [Comparison] {
  static func twoThreads() -> [Comparison] {
    let queue = DispatchQueue(label: "SDK")
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
          callsOfATask { use(try? await withAsyncThrowingValue { load($0) }) }
        },
        sampleBaseline: {
          callsOfATask {
            use(
              try? await withCheckedThrowingContinuation { continuation in
                load { continuation.resume(with: $0) }
              }
            )
          }
        }
      )
    ]
  }
}

/// The time of a call, in nanoseconds.
private func callsOfATask(_ call: @escaping @Sendable () async -> Void) -> Double {
  let calls = 200
  return nanoseconds(per: calls) {
    let isOver = DispatchSemaphore(value: 0)
    Task.detached {
      for _ in 0..<calls { await call() }
      isOver.signal()
    }
    isOver.wait()
  }
}
