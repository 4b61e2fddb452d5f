import Foundation

/// Writes down what was found: the committed table, and the documentation.
struct Record {
  private static let begin = "<!-- written by the benchmarks: begin -->\n"
  private static let end = "<!-- written by the benchmarks: end -->"

  private let findings: [Finding]
  private let notes: String

  init(_ findings: [Finding], notes: String) {
    self.findings = findings
    self.notes = notes
  }

  func write() throws {
    try Results(findings).write()
    try Picture(findings).source.write(to: Repository.picture, atomically: true, encoding: .utf8)
    let page = try String(contentsOf: Repository.page, encoding: .utf8)
    guard let begin = page.range(of: Record.begin), let end = page.range(of: Record.end) else {
      throw Failure("\(Repository.page.path): the lines are missing between which the table stands")
    }
    let table = "\n\(Table.markdown(findings))\n\n\(notes)\n\n"
    try page.replacingCharacters(in: begin.upperBound..<end.lowerBound, with: table)
      .write(to: Repository.page, atomically: true, encoding: .utf8)
  }
}
