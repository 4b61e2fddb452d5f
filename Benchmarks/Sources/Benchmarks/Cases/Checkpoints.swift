import CooperativeCancellation
import LegacySDK

extension [Comparison] {
  static func checkpoints(on loop: Loop) -> [Comparison] {
    [
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
      Comparison(
        "loop, checkpoint every millisecond",
        to: "loop without",
        goal: .atMost(1.1),
        on: loop,
        calls: 10_000,
        rounds: 300
      ) { steps in
        var sum: UInt64 = 0
        var pace = PacedCheckpoint(every: .milliseconds(1))
        for step in 0..<steps {
          sum &+= fiftyNanoseconds(UInt64(step))
          try pace.checkpoint()
        }
        use(sum)
      } against: { steps in
        var sum: UInt64 = 0
        for step in 0..<steps { sum &+= fiftyNanoseconds(UInt64(step)) }
        use(sum)
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
