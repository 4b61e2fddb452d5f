/// Fails if the library is slower than in the committed table.
struct Check {
  private static let tolerance = 1.15
  /// The table has two digits.
  private static let rounding = 0.005
  private static let attempts = 5

  let committed: Committed

  func run(_ findings: [Finding]) throws {
    var complaints: [String] = []
    for finding in findings {
      let comparison = finding.comparison
      guard let ratio = committed.ratio(of: comparison) else {
        complaints.append("\(comparison.name): not in the committed table; run with --record")
        continue
      }
      let limit = (ratio + Check.rounding) * Check.tolerance
      let found = try best(of: finding, below: limit)
      if found > limit {
        complaints.append(
          "\(comparison.name): \(found) of \(comparison.baseline), \(ratio) in the committed table"
        )
      }
    }
    guard complaints.isEmpty else { throw Failure(complaints.joined(separator: "\n")) }
    print("\(findings.count) ratios are at most 15 % worse than in the committed table")
  }

  /// Repeats a measurement that seems too slow, because the machine may have been busy.
  private func best(of finding: Finding, below limit: Double) throws -> Double {
    var ratio = finding.ratio
    for _ in 1..<Check.attempts where ratio > limit {
      ratio = min(ratio, try finding.comparison.find(rounds: finding.comparison.rounds).ratio)
    }
    return ratio
  }
}
