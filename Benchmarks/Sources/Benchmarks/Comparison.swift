import LegacySDK

/// Compares the cost of a measured way with that of a baseline.
struct Comparison: Sendable {
  /// The unit of a cost.
  enum Unit: String, Sendable {
    case nanoseconds = "ns"
    case allocations = "allocations"
    case bytes = "bytes"
  }

  /// The most that the measured way may cost.
  enum Goal: Sendable {
    /// In multiples of the baseline.
    case atMost(Double)
    /// In the unit of the cost.
    case cost(atMost: Double)
  }

  /// Makes that many calls, one after the other.
  typealias Calls = @Sendable (_ calls: Int) async throws -> Void
  /// Measures the cost of one call.
  typealias Sample = @Sendable () throws -> Double

  let name: String
  let baseline: String
  let unit: Unit
  let goal: Goal
  /// How many pairs of samples are taken.
  let rounds: Int
  let sample: Sample
  let sampleBaseline: Sample
}

extension Comparison {
  /// Compares the time of tasks that run on `loop`.
  init(
    _ name: String,
    to baseline: String,
    goal: Goal,
    on loop: Loop,
    calls: Int = 200,
    rounds: Int = 1_000,
    _ measured: @escaping Calls,
    against baselineCalls: @escaping Calls
  ) {
    self.init(
      name: name,
      baseline: baseline,
      unit: .nanoseconds,
      goal: goal,
      rounds: rounds,
      sample: { try nanoseconds(per: calls) { try loop.run { try await measured(calls) } } },
      sampleBaseline: {
        try nanoseconds(per: calls) { try loop.run { try await baselineCalls(calls) } }
      }
    )
  }

  /// Takes one sample of each in every round, in alternating order: a change of the machine's speed
  /// affects both.
  func find() throws -> Finding {
    for _ in 0..<(rounds / 10 + 1) {  // Warm up.
      _ = try sampleBaseline()
      _ = try sample()
    }
    var pairs: [(cost: Double, baseline: Double)] = []
    for round in 0..<rounds {
      if round.isMultiple(of: 2) {
        let baseline = try sampleBaseline()
        pairs.append((try sample(), baseline))
      } else {
        let cost = try sample()
        pairs.append((cost, try sampleBaseline()))
      }
    }
    return Finding(self, pairs)
  }
}

/// The time of one of `calls`.
func nanoseconds(per calls: Int, _ work: () throws -> Void) rethrows -> Double {
  try ContinuousClock().measure(work) / .nanoseconds(1) / Double(calls)
}

/// Uses a value, so that the optimizer cannot remove its computation.
@inline(never)
@_optimize(none)
func use<Value>(_ value: Value) {}
