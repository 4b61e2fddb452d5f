import CooperativeCancellation
import Dispatch
import Foundation
import LegacySDK
import PendingAnswers

// Promises and shared calls, as projects have them: on actors and on the pool. What is measured is
// the processor's time, because two threads that take turns at waking each other say more about the
// machine than about the code.

extension [Comparison] {
  static func pending() -> [Comparison] {
    [
      Comparison(
        "an event that waits",
        to: "promise by hand",
        goal: .atMost(1.3),
        {
          let event = PendingEvent<Int>()
          async let value = event.value()
          await Task.yield()
          event.close(returning: 1)
          use(try await value)
        },
        against: {
          let promise = HandWrittenPromise()
          async let value = promise.value()
          await Task.yield()
          promise.keep(1)
          use(try await value)
        }
      ),
      Comparison(
        "an event that is over",
        to: "promise by hand",
        goal: .atMost(2),
        {
          let event = PendingEvent<Int>()
          event.close(returning: 1)
          use(try await event.value())
        },
        against: {
          let promise = HandWrittenPromise()
          promise.keep(1)
          use(try await promise.value())
        }
      ),
      Comparison(
        "a refresh for 20 callers",
        to: "actor that keeps a task",
        goal: .atMost(2),
        calls: 20,
        rounds: 100,
        {
          let refreshes = SharedCalls<String, Int>()
          try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
              group.addTask {
                try await refreshes.value(for: "token") {
                  for _ in 0..<20 { await Task.yield() }
                  return 1
                }
              }
            }
            for try await value in group { use(value) }
          }
        },
        against: {
          let refresh = HandWrittenRefresh()
          try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
              group.addTask {
                try await refresh.value {
                  for _ in 0..<20 { await Task.yield() }
                  return 1
                }
              }
            }
            for try await value in group { use(value) }
          }
        }
      ),
    ]
  }
}

extension Comparison {
  /// Compares the processor's time of tasks on the pool.
  fileprivate init(
    _ name: String,
    to baseline: String,
    goal: Goal,
    calls: Int = 200,
    rounds: Int = 200,
    _ measured: @escaping @Sendable () async throws -> Void,
    against baselineCall: @escaping @Sendable () async throws -> Void
  ) {
    self.init(
      name: name,
      baseline: baseline,
      unit: .nanoseconds,
      goal: goal,
      rounds: rounds,
      sample: { processorTime(of: calls, measured) },
      sampleBaseline: { processorTime(of: calls, baselineCall) }
    )
  }
}

/// The processor's time of one call, in nanoseconds.
private func processorTime(
  of calls: Int,
  _ call: @escaping @Sendable () async throws -> Void
) -> Double {
  let isOver = DispatchSemaphore(value: 0)
  let begin = clock()
  Task.detached {
    for _ in 0..<calls { try? await call() }
    isOver.signal()
  }
  isOver.wait()
  return Double(clock() - begin) * 1e9 / Double(CLOCKS_PER_SEC) / Double(calls)
}
