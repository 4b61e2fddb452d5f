import ContinuationChecks
import Foundation

/// Findings that are known. A line that moves stays known, and one that changes does not.
struct Baseline {
  private var counts: [String: Int] = [:]

  init() {}

  /// Empty without a path.
  init(path: String?) throws {
    guard let path else { return }
    let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
    for line in text.split(separator: "\n") { counts[String(line), default: 0] += 1 }
  }

  var count: Int { counts.values.reduce(0, +) }

  mutating func insert(_ finding: Finding, in path: String) {
    counts[entry(finding, path), default: 0] += 1
  }

  /// Returns whether the finding was there. Each entry stands for one.
  mutating func remove(_ finding: Finding, in path: String) -> Bool {
    let entry = entry(finding, path)
    guard let count = counts[entry], count > 0 else { return false }
    counts[entry] = count - 1
    return true
  }

  func write(to path: String) throws {
    let lines = counts.sorted { $0.key < $1.key }
      .flatMap { Array(repeating: $0.key + "\n", count: $0.value) }
    try lines.joined().write(to: URL(filePath: path), atomically: true, encoding: .utf8)
  }

  private func entry(_ finding: Finding, _ path: String) -> String {
    "\(path)\t\(finding.kind.name)\t\(finding.text)"
  }
}
