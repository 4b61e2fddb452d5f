import CooperativeCancellation
import LegacySDK

// Calls with a timeout that are answered in time, compared with calls without one.

extension [Comparison] {
  static func timeouts(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .when(idle: loop))
    return [
      Comparison("answers later, timeout: 1 h", to: "without", goal: .atMost(1.25), on: loop) {
        for _ in 0..<$0 {
          use(try await withAsyncThrowingValue(timeout: .seconds(3600)) { sdk.result($0) })
        }
      } against: {
        for _ in 0..<$0 { use(try await withAsyncThrowingValue { sdk.result($0) }) }
      },
      waits(on: loop),
    ]
  }

  /// Calls that wait at the same time, with deadlines in random order, and are then answered.
  private static func waits(on loop: Loop) -> Comparison {
    let count = 10_000
    let sdk = LegacySDK(calls: .onDemand)
    let timeouts = (0..<count).map { _ in 3_600_000 + Int.random(in: 0..<count) }
    @Sendable func run(_ wait: @escaping @Sendable (Int) async throws -> Void) throws -> Double {
      try nanoseconds(per: count) {
        try loop.run {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
              group.addTask { try await wait(number) }
            }
            await Task.yield()  // On one thread, in order: now all wait.
            sdk.callBack()
            try await group.waitForAll()
          }
        }
      }
    }
    return Comparison(
      name: "timeouts, 10,000 waits at once, random",
      baseline: "without",
      unit: .nanoseconds,
      goal: .atMost(1.25),
      rounds: 10,
      sample: {
        try run { number in
          let timeout = Timeout.milliseconds(timeouts[number])
          use(try await withAsyncThrowingValue(timeout: timeout) { sdk.result($0) })
        }
      },
      sampleBaseline: { try run { _ in use(try await withAsyncThrowingValue { sdk.result($0) }) } }
    )
  }
}
