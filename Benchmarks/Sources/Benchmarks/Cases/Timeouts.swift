import CooperativeCancellation
import LegacySDK

// Calls with a timeout that are answered in time, compared with calls without one.

extension [Comparison] {
  static func timeouts(on loop: Loop) -> [Comparison] {
    let sdk = LegacySDK(calls: .when(idle: loop))
    let one = Comparison(
      "answers later, timeout: 1 h",
      to: "without",
      goal: .atMost(1.25),
      on: loop
    ) {
      for _ in 0..<$0 {
        use(try await withAsyncThrowingValue(timeout: .seconds(3600)) { sdk.result($0) })
      }
    } against: {
      for _ in 0..<$0 {
        use(try await withAsyncThrowingValue { sdk.result($0) })
      }
    }
    let many = [100, 1_000, 10_000, 100_000].flatMap { count in
      Order.allCases.map { order in waits(count, order, on: loop) }
    }
    return [one] + many
  }

  /// The order of the deadlines of concurrent calls.
  private enum Order: String, CaseIterable {
    case equal, rising, falling, random

    /// One timeout per call, in milliseconds.
    func timeouts(_ count: Int) -> [Int] {
      var random = SystemRandomNumberGenerator()
      return (0..<count).map { number in
        switch self {
        case .equal: 3_600_000
        case .rising: 3_600_000 + number
        case .falling: 3_600_000 - number
        case .random: 3_600_000 + Int.random(in: 0..<count, using: &random)
        }
      }
    }
  }

  /// Calls that wait at the same time and are then answered.
  private static func waits(_ count: Int, _ order: Order, on loop: Loop) -> Comparison {
    let sdk = LegacySDK(calls: .onDemand)
    let timeouts = order.timeouts(count)
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
      name: "timeouts, \(grouped(count)) waits at once, \(order.rawValue)",
      baseline: "without",
      unit: .nanoseconds,
      goal: .atMost(1.25),
      rounds: Swift.max(5, 100_000 / count),
      sample: {
        try run { number in
          use(
            try await withAsyncThrowingValue(timeout: .milliseconds(timeouts[number])) {
              sdk.result($0)
            }
          )
        }
      },
      sampleBaseline: { try run { _ in use(try await withAsyncThrowingValue { sdk.result($0) }) } }
    )
  }
}
