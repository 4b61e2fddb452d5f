import Foundation

/// Fails if the library allocates more than in the committed table, that of the documentation.
///
/// Compares counts only: a time that was recorded on one machine cannot judge another.
struct Check {
  /// The table has whole numbers, and the loop's queues grow now and then.
  private static let tolerance = 1.01

  /// By the names of the case and the baseline.
  private let costs: [String: Double]

  init() throws {
    let rows = try String(contentsOf: Repository.page, encoding: .utf8)
      .split(separator: "\n")
      .map { $0.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == Table.titles.count + 2 }
    // There is an empty cell before the first bar and after the last.
    costs = rows.reduce(into: [:]) { costs, row in
      costs["\(row[1]) | \(row[3])"] = row[2].split(separator: " ").first.flatMap { Double($0) }
    }
  }

  func run(_ findings: [Finding]) throws {
    let complaints = findings.compactMap { finding -> String? in
      let comparison = finding.comparison
      guard let cost = costs["\(comparison.name) | \(comparison.baseline)"] else {
        return "\(comparison.name): not in the committed table; run with --record"
      }
      guard finding.cost > cost * Check.tolerance else { return nil }
      return "\(comparison.name): \(finding.cost), \(cost) in the committed table"
    }
    guard complaints.isEmpty else { throw Failure(description: complaints.joined(separator: "\n")) }
    print("\(findings.count) counts are at most those in the committed table")
  }
}
