// What a checkpoint costs, as a ratio against the standard library's check and against a loop without one.
//
//     swift run -c release CheckpointCost

import CooperativeCancellation

/// A body of about 50 ns.
@inline(never)
func body(_ seed: UInt64) -> UInt64 {
  var mixed = seed
  for _ in 0..<46 {
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
  }
  return mixed
}

let steps = 200_000

func nanoseconds(_ work: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(work)
  return time / .nanoseconds(1) / Double(steps)
}

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

var sum: UInt64 = 0
var check: [Double] = []
var ours: [Double] = []
var bare: [Double] = []
var byStep: [Double] = []
var byTime: [Double] = []
// Interleaved, so that a machine that changes its pace changes it for all.
for _ in 0..<31 {
  check.append(try nanoseconds { for _ in 0..<steps { try Task.checkCancellation() } })
  ours.append(try nanoseconds { for _ in 0..<steps { try checkpoint() } })
  bare.append(nanoseconds { for step in 0..<steps { sum &+= body(UInt64(step)) } })
  byStep.append(
    try nanoseconds {
      var pace = PacedCheckpoint(every: 1_000)
      for step in 0..<steps {
        sum &+= body(UInt64(step))
        try pace.checkpoint()
      }
    }
  )
  byTime.append(
    try nanoseconds {
      var pace = PacedCheckpoint(every: .milliseconds(1))
      for step in 0..<steps {
        sum &+= body(UInt64(step))
        try pace.checkpoint()
      }
    }
  )
}

func row(_ name: String, _ values: [Double], _ baseline: [Double]) {
  let ratios = zip(values, baseline).map { $0 / $1 }
  let ratio = (median(ratios) * 100).rounded() / 100
  print("\(name): \((median(values) * 10).rounded() / 10) ns, \(ratio) of the baseline")
}

row("Task.checkCancellation()", check, check)
row("checkpoint()", ours, check)
row("loop without a checkpoint", bare, bare)
row("loop, every 1 000 steps", byStep, bare)
row("loop, every millisecond", byTime, bare)
if sum == 0 { print("") }  // The results are used.
