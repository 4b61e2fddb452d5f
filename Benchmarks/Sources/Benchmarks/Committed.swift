import Foundation

/// The ratios of the table in the documentation.
struct Committed {
  private let ratios: [String: Double]

  init() throws {
    let rows = try String(contentsOf: Repository.page, encoding: .utf8)
      .split(separator: "\n")
      .map { $0.components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      .filter { $0.count == Table.titles.count + 2 }
    // There is an empty cell before the first bar and after the last.
    ratios = rows.reduce(into: [:]) { $0["\($1[1]) | \($1[3])"] = Double($1[5]) }
  }

  /// The committed ratio, with two digits.
  func ratio(of comparison: Comparison) -> Double? {
    ratios["\(comparison.name) | \(comparison.baseline)"]
  }
}
