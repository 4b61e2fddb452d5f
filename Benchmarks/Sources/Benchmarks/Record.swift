import Foundation

/// Writes the findings to the documentation: the whole table and the main rows.
struct Record {
  private static let begin = "<!-- written by the benchmarks: begin -->\n"
  private static let end = "<!-- written by the benchmarks: end -->"

  /// Those of the short table, in its order.
  private static let names = ["answers at once", "answers later", "cancelled while waiting"]

  let findings: [Finding]

  func write() throws {
    try insert(Table.markdown(findings), into: Repository.page)
    try insert(summary, into: Repository.readMe)
  }

  private var summary: String {
    let rows = Record.names.flatMap { name in findings.filter { $0.comparison.name == name } }
    let lines = rows.map { row in
      "| \(row.comparison.name) | \(Table.twoDigits(row.ratio)) × \(row.comparison.baseline) |"
    }
    return (["| case | cost |", "|---|---|"] + lines).joined(separator: "\n")
  }

  /// Replaces the text between the two marker lines of a page.
  private func insert(_ text: String, into file: URL) throws {
    let page = try String(contentsOf: file, encoding: .utf8)
    guard let begin = page.range(of: Record.begin), let end = page.range(of: Record.end) else {
      throw Failure(description: "\(file.path): the lines around the findings are missing")
    }
    try page.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: "\n\(text)\n\n")
      .write(to: file, atomically: true, encoding: .utf8)
  }
}
