/// The result of a comparison.
struct Finding: Sendable {
  let comparison: Comparison
  /// The median cost of one call.
  let cost: Double
  let baselineCost: Double
  /// The cost in multiples of the baseline of the same round: the median and the quartiles.
  let ratio: Double
  let quartiles: ClosedRange<Double>

  init(_ comparison: Comparison, _ pairs: [(cost: Double, baseline: Double)]) {
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    let ratios = pairs.map { $0.cost / $0.baseline }.sorted()
    self.comparison = comparison
    cost = median(pairs.map(\.cost))
    baselineCost = median(pairs.map(\.baseline))
    ratio = median(ratios)
    quartiles = ratios[ratios.count / 4]...ratios[ratios.count * 3 / 4]
  }

  /// Whether the goal is met.
  var isMet: Bool {
    switch comparison.goal {
    // As printed, with two digits.
    case .atMost(let goal): (ratio * 100).rounded() <= (goal * 100).rounded()
    // The loop's queues grow now and then.
    case .cost(let goal): cost <= goal * 1.01
    }
  }
}
