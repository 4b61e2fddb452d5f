/// Fails if the library has become slower than the committed table says.
struct Check {
  private static let tolerance = 1.15
  private static let attempts = 5

  let committed: Results

  func run(_ findings: [Finding]) throws {
    var complaints: [String] = []
    for finding in findings {
      let comparison = finding.comparison
      guard let row = committed.row(of: comparison) else {
        complaints.append("\(comparison.name): not in the committed table; run with --record")
        continue
      }
      let ratio = try best(of: finding, below: row.ratio * Check.tolerance)
      if ratio > row.ratio * Check.tolerance {
        complaints.append(
          "\(comparison.name): \(ratio) of \(comparison.baseline), \(row.ratio) in the committed table"
        )
      }
    }
    guard complaints.isEmpty else { throw Failure(complaints.joined(separator: "\n")) }
    print("\(findings.count) ratios are at most 15 % worse than in the committed table")
  }

  /// Measures again what seems too slow: the machine may have been busy, and a library that has become
  /// slower is so each time.
  private func best(of finding: Finding, below limit: Double) throws -> Double {
    var ratio = finding.ratio
    for _ in 1..<Check.attempts where ratio > limit {
      ratio = min(ratio, try finding.comparison.find(rounds: finding.comparison.rounds).ratio)
    }
    return ratio
  }
}
