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
    /// Line, column, count, has a count, begins a region, is a gap.
    enum Field: Decodable {
      case number(Int)
      case flag(Bool)

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
          self = .flag(flag)
        } else {
          self = .number(try container.decode(Int.self))
        }
      }
    }
    let filename: String
    let segments: [[Field]]
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
      for line in file.uncoveredLines {
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
  /// The lines on which a region begins that was not run.
  fileprivate var uncoveredLines: [Int] {
    let lines = segments.compactMap { segment -> Int? in
      guard segment.count >= 5, case .number(let line) = segment[0],
        case .number(0) = segment[2], case .flag(true) = segment[3],
        case .flag(true) = segment[4]
      else { return nil }
      return line
    }
    return Set(lines).sorted()
  }
}
