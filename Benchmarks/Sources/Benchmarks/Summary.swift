import Foundation

/// A short table of the main ratios.
struct Summary {
  static let names = ["answers at once", "answers later", "cancelled while waiting"]

  let text: String

  init(_ findings: [Finding]) {
    let rows = Summary.names.flatMap { name in
      findings.filter { $0.comparison.name == name }
    }
    let lines = rows.map { row in
      "| \(row.comparison.name) | \(String(format: "%.2f", row.ratio)) × \(row.comparison.baseline) |"
    }
    text = (["| case | cost |", "|---|---|"] + lines).joined(separator: "\n")
  }
}
