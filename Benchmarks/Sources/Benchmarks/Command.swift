import LegacySDK

/// The parsed command line.
struct Command {
  private static let usage = """
    usage: swift run -c release --package-path Benchmarks Benchmarks [OPTION]...

    Measures what the library costs against baselines taken in the same run, and prints one table.

      --check      takes only the rows that count, and fails if one misses its goal
      --record     writes the committed table, that of the documentation
      --only TEXT  takes only the rows whose names contain the text, for a profiler
    """

  private var checks = false
  private var records = false
  private var text: String?

  init(_ arguments: some Sequence<String>) throws {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--check": checks = true
      case "--record": records = true
      case "--only": text = arguments.next()
      default: throw Failure(description: Command.usage)
      }
    }
    if records, checks || text != nil { throw Failure(description: Command.usage) }
  }

  func run() throws {
    let loop = Loop()
    let comparisons = Array.everything(on: loop).filter(isWanted)
    Table.printHead()
    let findings = try comparisons.map { comparison in
      let finding = try comparison.find()
      Table.print(finding)
      return finding
    }
    if checks { return try check(findings) }
    if records { try Record(findings: findings).write() }
  }

  /// Only counts: a time that was recorded on one machine cannot judge another.
  private func check(_ findings: [Finding]) throws {
    let missed = findings.filter { !$0.isMet }.map { "\($0.comparison.name): \($0.cost)" }
    guard missed.isEmpty else {
      throw Failure(description: "the goal is missed: " + missed.joined(separator: ", "))
    }
    print("\(findings.count) counts meet their goals")
  }

  private func isWanted(_ comparison: Comparison) -> Bool {
    if let text, !comparison.name.contains(text) { return false }
    return comparison.unit != .nanoseconds || !checks
  }
}
