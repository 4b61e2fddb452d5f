import Foundation

/// What the tests have run of the library, and what not.
struct TestCoverage {
  /// What `swift test --enable-code-coverage` writes.
  private struct Report: Decodable {
    struct Part: Decodable {
      let files: [File]
    }
    let data: [Part]
  }

  fileprivate struct File: Decodable {
    struct Summary: Decodable {
      struct Count: Decodable {
        let count: Int
        let covered: Int
      }
      let lines: Count
      let regions: Count
    }
    /// Where the code begins that was run so often, up to the next segment.
    struct Segment: Decodable {
      let line: Int
      let column: Int
      let isUncoveredRegion: Bool

      /// Line, column, count, has a count, begins a region, is a gap.
      init(from decoder: any Decoder) throws {
        var fields = try decoder.unkeyedContainer()
        line = try fields.decode(Int.self)
        column = try fields.decode(Int.self)
        let count = try fields.decode(Int.self)
        let hasCount = try fields.decode(Bool.self)
        let beginsRegion = try fields.decode(Bool.self)
        isUncoveredRegion = count == 0 && hasCount && beginsRegion
      }
    }
    let filename: String
    let segments: [Segment]
    let summary: Summary
  }

  private let files: [(path: String, file: File)]
  private let root = FileManager.default.currentDirectoryPath + "/"

  init(of report: String) throws {
    let data = try Data(contentsOf: URL(filePath: report))
    let root = root
    files = try JSONDecoder().decode(Report.self, from: data).data.flatMap(\.files)
      .filter { $0.filename.hasPrefix(root + "Sources/CooperativeCancellation") }
      .map { (String($0.filename.dropFirst(root.count)), $0) }
      .sorted { $0.path < $1.path }
  }

  /// Prints the coverage, and fails for a region that was not run and that `list` gives no reason for, or for a
  /// reason for a line that is not there.
  func check(against list: String) throws {
    let reasons = try Self.reasons(in: list)
    var known: Set<String> = []
    var complaints: [String] = []
    for (path, file) in files {
      let lines = try String(contentsOfFile: path, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
      known.formUnion(lines.map { "\(path): \($0.trimmingCharacters(in: .whitespaces))" })
      for line in file.uncoveredLines(of: lines) {
        let text = lines[line - 1].trimmingCharacters(in: .whitespaces)
        let place = "\(path): \(text)"
        if let reason = reasons[place] {
          print("not run: \(place)\n  \(reason)")
        } else {
          complaints.append("\(path):\(line): error: no test runs this: \(text)")
        }
      }
    }
    complaints += reasons.keys.filter { !known.contains($0) }.sorted().map {
      "\(list): error: this is not there: \($0)"
    }
    printTotals()
    if !complaints.isEmpty { throw Failure(complaints.joined(separator: "\n")) }
  }

  private func printTotals() {
    for folder in ["Sources/CooperativeCancellation/Bridging/Core", "Sources"] {
      let some = files.filter { $0.path.hasPrefix(folder) }.map(\.file.summary)
      func share(_ count: (File.Summary) -> File.Summary.Count) -> String {
        let covered = some.reduce(0) { $0 + count($1).covered }
        let all = some.reduce(0) { $0 + count($1).count }
        return "\(covered) of \(all)"
      }
      print("\(folder): \(share { $0.lines }) lines, \(share { $0.regions }) regions are run")
    }
  }

  /// Pairs of lines: a place, and indented the reason.
  private static func reasons(in list: String) throws -> [String: String] {
    var reasons: [String: String] = [:]
    var place: String?
    for line in try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("#") { continue }
      if let known = place, line.hasPrefix("  ") {
        reasons[known] = line.trimmingCharacters(in: .whitespaces)
        place = nil
      } else {
        place = String(line)
      }
    }
    return reasons
  }
}

extension TestCoverage.File {
  /// The lines on which a region begins that was not run. A region of closing braces has nothing to run: the
  /// compiler makes one after a `switch` that ends the body of a loop, and counts it as never reached.
  fileprivate func uncoveredLines(of source: [Substring]) -> [Int] {
    let lines = segments.indices.filter { index in
      segments[index].isUncoveredRegion
        && !text(ofSegment: index, in: source).allSatisfy { $0.isWhitespace || $0 == "}" }
    }.map { segments[$0].line }
    return Set(lines).sorted()
  }

  private func text(ofSegment index: Int, in source: [Substring]) -> String {
    let start = segments[index]
    guard let end = segments.dropFirst(index + 1).first else { return "" }
    return (start.line...end.line).map { line in
      // Columns are bytes, and count from one.
      let bytes = source[line - 1].utf8
      let from = line == start.line ? start.column - 1 : 0
      let to = line == end.line ? end.column - 1 : bytes.count
      return String(decoding: bytes.prefix(to).dropFirst(from), as: UTF8.self)
    }.joined(separator: "\n")
  }
}
