import CooperativeCancellation
import LegacySDK

extension [Comparison] {
  static func checkpoints(on loop: Loop) -> [Comparison] {
    func loopRow(
      _ name: String,
      _ goal: Comparison.Goal,
      _ steps: @escaping @Sendable (Int) throws -> UInt64
    ) -> Comparison {
      Comparison(name, to: "loop without", goal: goal, on: loop, calls: 10_000, rounds: 300) {
        use(try steps($0))
      } against: { steps in
        var sum: UInt64 = 0
        for step in 0..<steps { sum &+= fiftyNanoseconds(UInt64(step)) }
        use(sum)
      }
    }
    return [
      Comparison(
        "checkpoint()",
        to: "Task.checkCancellation()",
        goal: .atMost(1.1),
        on: loop,
        calls: 10_000,
        rounds: 300
      ) {
        for _ in 0..<$0 { try checkpoint() }
      } against: {
        for _ in 0..<$0 { try Task.checkCancellation() }
      },
      loopRow("loop, checkpoint every 1 000 steps", .atMost(1.1)) { steps in
        var sum: UInt64 = 0
        var pace = PacedCheckpoint(every: 1_000)
        for step in 0..<steps {
          sum &+= fiftyNanoseconds(UInt64(step))
          try pace.checkpoint()
        }
        return sum
      },
      loopRow("loop, checkpoint every millisecond", .atMost(1.1)) { steps in
        var sum: UInt64 = 0
        var pace = PacedCheckpoint(every: .milliseconds(1))
        for step in 0..<steps {
          sum &+= fiftyNanoseconds(UInt64(step))
          try pace.checkpoint()
        }
        return sum
      },
    ]
  }
}

/// The body of a loop, which takes about 50 ns.
@inline(never)
private func fiftyNanoseconds(_ seed: UInt64) -> UInt64 {
  var mixed = seed
  for _ in 0..<46 {
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
  }
  return mixed
}
