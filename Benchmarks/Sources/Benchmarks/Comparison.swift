import LegacySDK

/// Two ways to do the same, one of which is measured against the other.
struct Comparison: Sendable {
  /// The most that the measured way may cost, in costs of the baseline.
  enum Goal: Sendable {
    case atMost(Double)
    /// Printed, whatever it is.
    case none
  }

  let name: String
  let baseline: String
  let goal: Goal
  /// How many calls make a sample.
  let calls: Int
  let measureBaseline: @Sendable (_ calls: Int) throws -> Void
  let measure: @Sendable (_ calls: Int) throws -> Void
}

extension Comparison {
  /// Compares work of tasks that run on `loop`.
  init(
    _ name: String,
    to baseline: String,
    goal: Goal,
    on loop: Loop,
    calls: Int = 200,
    _ measure: @escaping @Sendable (_ calls: Int) async throws -> Void,
    against measureBaseline: @escaping @Sendable (_ calls: Int) async throws -> Void
  ) {
    self.init(
      name: name,
      baseline: baseline,
      goal: goal,
      calls: calls,
      measureBaseline: { calls in try loop.run { try await measureBaseline(calls) } },
      measure: { calls in try loop.run { try await measure(calls) } }
    )
  }
}

/// What came out of a comparison.
struct Finding: Sendable {
  let comparison: Comparison
  /// Nanoseconds per call, the median.
  let baseline: Double
  let cost: Double
  /// The cost in costs of the baseline taken in the same round: the median, and the quarters around it.
  let ratio: Double
  let ratios: ClosedRange<Double>

  var isMet: Bool {
    switch comparison.goal {
    case .atMost(let goal): ratio <= goal
    case .none: true
    }
  }
}

extension Comparison {
  /// Takes one sample of each in every round, in turns as to which comes first, so that a machine that
  /// changes its pace changes it for both.
  func find(rounds: Int) throws -> Finding {
    let clock = ContinuousClock()
    func sample(_ work: (Int) throws -> Void) rethrows -> Double {
      try clock.measure { try work(calls) } / .nanoseconds(1) / Double(calls)
    }
    for _ in 0..<(rounds / 10 + 1) {  // Warm up.
      try measureBaseline(calls)
      try measure(calls)
    }
    var baselines: [Double] = []
    var costs: [Double] = []
    for round in 0..<rounds {
      if round.isMultiple(of: 2) {
        baselines.append(try sample(measureBaseline))
        costs.append(try sample(measure))
      } else {
        costs.append(try sample(measure))
        baselines.append(try sample(measureBaseline))
      }
    }
    let ratios = zip(costs, baselines).map { $0 / $1 }.sorted()
    return Finding(
      comparison: self,
      baseline: median(baselines),
      cost: median(costs),
      ratio: ratios[rounds / 2],
      ratios: ratios[rounds / 4]...ratios[rounds * 3 / 4]
    )
  }
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// Uses a value, so that the optimiser cannot leave out what made it.
@inline(never)
@_optimize(none)
func use<Value>(_ value: Value) {}
