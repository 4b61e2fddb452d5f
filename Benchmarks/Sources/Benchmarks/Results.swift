import Foundation

/// The committed table, as the program reads it.
struct Results: Codable {
  struct Row: Codable {
    let name: String
    let baseline: String
    let unit: Comparison.Unit
    let cost: Double
    let baselineCost: Double
    let ratio: Double
    let lowerQuartile: Double
    let upperQuartile: Double
  }

  let rows: [Row]

  init(_ findings: [Finding]) {
    rows = findings.map { finding in
      Row(
        name: finding.comparison.name,
        baseline: finding.comparison.baseline,
        unit: finding.comparison.unit,
        cost: rounded(finding.cost),
        baselineCost: rounded(finding.baselineCost),
        ratio: rounded(finding.ratio),
        lowerQuartile: rounded(finding.quartiles.lowerBound),
        upperQuartile: rounded(finding.quartiles.upperBound)
      )
    }
  }

  static func committed() throws -> Results {
    try JSONDecoder().decode(Results.self, from: Data(contentsOf: Repository.results))
  }

  func write() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: Repository.results)
  }

  func row(of comparison: Comparison) -> Row? {
    rows.first { $0.name == comparison.name && $0.baseline == comparison.baseline }
  }
}

private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
