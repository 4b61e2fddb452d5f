import Foundation

/// Writes the table to the documentation.
struct Record {
  private static let begin = "<!-- written by the benchmarks: begin -->\n"
  private static let end = "<!-- written by the benchmarks: end -->"

  let findings: [Finding]

  func write() throws { try insert(Table.markdown(findings), into: Repository.page) }

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
