import LegacySDK

let loop = Loop()
let comparisons: [Comparison] =
  .synchronousAnswer(on: loop) + .suspension(on: loop) + .cancellation(on: loop)
  + .taskLifetimes(on: loop)
for comparison in comparisons {
  let finding = try comparison.find(rounds: 300)
  print(
    comparison.name,
    comparison.baseline,
    Int(finding.cost),
    Int(finding.baseline),
    finding.ratio,
    finding.ratios
  )
}
