import Foundation

/// Writes the findings to the documentation: the whole table and the main rows.
struct Record {
  private static let begin = "<!-- written by the benchmarks: begin -->\n"
  private static let end = "<!-- written by the benchmarks: end -->"

  private let findings: [Finding]

  init(_ findings: [Finding]) {
    self.findings = findings
  }

  func write() throws {
    try insert(Table.markdown(findings), into: Repository.page)
    try insert(Summary(findings).text, into: Repository.readMe)
  }

  /// Replaces the text between the two marker lines of a page.
  private func insert(_ text: String, into file: URL) throws {
    let page = try String(contentsOf: file, encoding: .utf8)
    guard let begin = page.range(of: Record.begin), let end = page.range(of: Record.end) else {
      throw Failure("\(file.path): the lines are missing between which the findings stand")
    }
    try page.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: "\n\(text)\n\n")
      .write(to: file, atomically: true, encoding: .utf8)
  }
}
