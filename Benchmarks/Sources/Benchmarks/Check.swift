/// Fails if the library allocates more than in the committed table.
///
/// Compares counts only, because they do not depend on the machine or its load. A time recorded on one machine cannot
/// judge another.
struct Check {
  /// The table has whole numbers, and the loop's queues grow now and then.
  private static let tolerance = 1.01

  let committed: Committed

  func run(_ findings: [Finding]) throws {
    let complaints = findings.compactMap { finding -> String? in
      let comparison = finding.comparison
      guard let cost = committed.cost(of: comparison) else {
        return "\(comparison.name): not in the committed table; run with --record"
      }
      guard finding.cost > cost * Check.tolerance else { return nil }
      return "\(comparison.name): \(finding.cost), \(cost) in the committed table"
    }
    guard complaints.isEmpty else { throw Failure(complaints.joined(separator: "\n")) }
    print("\(findings.count) counts are at most those in the committed table")
  }
}
