import Foundation

/// The costs of the tables in the documentation.
struct Committed {
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

  func cost(of comparison: Comparison) -> Double? {
    costs["\(comparison.name) | \(comparison.baseline)"]
  }
}
