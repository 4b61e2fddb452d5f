import Foundation

/// The findings as a table, in the terminal and on a page.
enum Table {
  static let titles = ["case", "cost", "baseline", "its cost", "ratio", "quartiles", "goal"]
  private static let widths = [47, 13, 32, 13, 5, 11, 24]

  static func printHead() { printRow(titles) }

  /// Prints one row at once, even to a pipe.
  static func print(_ finding: Finding) {
    printRow(cells(of: finding))
    fflush(nil)
  }

  static func markdown(_ findings: [Finding]) -> String {
    let rows = findings.map { "| \(cells(of: $0).joined(separator: " | ")) |" }
    let head = "| \(titles.joined(separator: " | ")) |"
    return ([head, "|---|--:|---|--:|--:|---|---|"] + rows).joined(separator: "\n")
  }

  private static func cells(of finding: Finding) -> [String] {
    let comparison = finding.comparison
    let goal =
      switch comparison.goal {
      case .atMost(let goal): "≤ \(twoDigits(goal))"
      case .cost(let goal): "≤ \(Int(goal)) \(comparison.unit.rawValue)"
      }
    return [
      comparison.name,
      cost(finding.cost, comparison.unit),
      comparison.baseline,
      cost(finding.baselineCost, comparison.unit),
      twoDigits(finding.ratio),
      "\(twoDigits(finding.quartiles.lowerBound))–\(twoDigits(finding.quartiles.upperBound))",
      goal + (finding.isMet ? "" : ", missed"),
    ]
  }

  private static func cost(_ cost: Double, _ unit: Comparison.Unit) -> String {
    cost < 100 && cost != cost.rounded()
      ? String(format: "%.1f ", cost) + unit.rawValue : "\(Int(cost.rounded())) \(unit.rawValue)"
  }

  static func twoDigits(_ value: Double) -> String { String(format: "%.2f", value) }

  private static func printRow(_ cells: [String]) {
    let padded = zip(cells, widths).map { cell, width in
      cell + String(repeating: " ", count: max(0, width - cell.count))
    }
    Swift.print(padded.joined(separator: "  "))
  }
}
