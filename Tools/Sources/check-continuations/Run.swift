import ContinuationChecks
import Foundation

/// One run of the command, which prints its findings and says what it leaves out.
struct Run {
  let command: CheckContinuations
  let print: (String) -> Void
  let say: (String) -> Void

  /// What the process exits with.
  func status() -> Int32 {
    let inputs = Inputs(command.paths, allowsMissing: command.allowMissing)
    var problems = inputs.problems
    var (waits, cancellable, findings, debatable) = (0, 0, 0, 0)
    var baseline: Baseline
    do {
      baseline = try Baseline(path: command.baseline)
    } catch {
      baseline = Baseline()
      problems.append("\(command.baseline ?? ""): is no baseline: \(error)")
    }
    var known = Baseline()
    var found: [(path: String, finding: Finding)] = []
    let progress = Progress(count: inputs.files.count, say: say)

    if command.listWaits { return list(inputs) }
    for (index, path) in inputs.files.enumerated() {
      progress.show(index)
      let report: Report
      do {
        report = try Report(path: path, kinds: command.searchedKinds)
      } catch {
        problems.append("\(path): \(error.description): not checked")
        continue
      }
      waits += report.waits
      cancellable += report.cancellableWaits
      for line in report.unfollowed {
        say("\(path):\(line): note: more than 256 paths, which are not followed\n")
      }
      found += report.findings.map { (path, $0) }
    }

    let project = Project(paths: inputs.surroundings) { try? source(path: $0) }
    for (path, finding) in zip(found.map(\.path), project.judge(found.map(\.finding))) {
      guard command.kinds.contains(finding.kind) else {
        debatable += command.hiddenKinds.contains(finding.kind) ? 1 : 0
        continue
      }
      if command.writeBaseline != nil {
        known.insert(finding, in: path)
      } else if !baseline.remove(finding, in: path) {
        findings += 1
        print(command.format.line(for: finding, in: path))
      }
    }

    if let path = command.writeBaseline {
      do {
        try known.write(to: path)
        say("\(path): \(known.count) findings\n")
      } catch {
        problems.append("\(path): cannot be written: \(error)")
      }
    }
    if baseline.count > 0 {
      say("\(baseline.count) findings of the baseline are gone: write it again\n")
    }
    for problem in problems { say("\(problem)\n") }
    if !command.quiet {
      let counts = "waits: \(waits), of which a cancelled task can leave: \(cancellable)"
      let hidden = debatable > 0 ? ", and \(debatable) debatable, for --all" : ""
      print("files: \(inputs.files.count), \(counts), findings: \(findings)\(hidden)")
    }
    return problems.isEmpty ? (findings == 0 ? 0 : 1) : 2
  }
}

extension Run {
  private func list(_ inputs: Inputs) -> Int32 {
    var list = WaitList()
    var problems = inputs.problems
    for path in inputs.files {
      do {
        list.add(try source(path: path), in: path)
      } catch {
        problems.append("\(path): \(error.description): not read")
      }
    }
    for line in list.lines { print(line) }
    for problem in problems { say("\(problem)\n") }
    return problems.isEmpty ? 0 : 2
  }
}

/// Why a file is not checked.
enum Unchecked: Error, CustomStringConvertible {
  case unreadable, notText, doesNotParse

  var description: String {
    switch self {
    case .unreadable: "cannot be read"
    case .notText: "is not UTF-8"
    case .doesNotParse: "does not parse, or nests more than 2,000 levels deep"
    }
  }
}

extension Report {
  fileprivate init(path: String, kinds: Set<Kind>) throws(Unchecked) {
    guard let report = Report(source: try source(path: path), kinds: kinds)
    else { throw .doesNotParse }
    self = report
  }
}

private func source(path: String) throws(Unchecked) -> String {
  guard let content = FileManager.default.contents(atPath: path) else { throw .unreadable }
  // UTF-16 has a zero in each letter of code.
  if content.contains(0) { throw .notText }
  return String(decoding: content, as: UTF8.self)
}

/// Shows the progress of a long run in a terminal.
private struct Progress {
  let count: Int
  let say: (String) -> Void
  private let start = ContinuousClock.now

  init(count: Int, say: @escaping (String) -> Void) { (self.count, self.say) = (count, say) }

  func show(_ index: Int) {
    if isatty(STDERR_FILENO) == 1, index % 100 == 0, .now - start > .seconds(1) {
      say("\(index) of \(count) files\r")
    }
  }
}
