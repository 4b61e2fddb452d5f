import ArgumentParser
import ContinuationChecks
import Foundation

@main
struct CheckContinuations: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-continuations",
    abstract: "Finds mistakes in continuations and completion handlers.",
    discussion: "Silence one: // check-continuations:disable never-resumed: the reason"
  )

  @Argument(help: "The files and folders to check.")
  var paths: [String]

  @Flag(name: .shortAndLong, help: "Print only the findings.")
  var quiet = false

  func validate() throws {
    for path in paths where !FileManager.default.fileExists(atPath: path) {
      throw ValidationError("There is no file or folder '\(path)'.")
    }
  }

  func run() {
    // Code that nests deeply needs a deep stack.
    let thread = Thread { Self.exit(withError: check() == 0 ? nil : ExitCode(1)) }
    thread.stackSize = 1 << 30
    thread.start()
    while true { sleep(1_000) }
  }

  /// Returns the number of findings.
  private func check() -> Int {
    let files = swiftFiles(in: paths)
    var progress = Progress()
    var (waits, cancellable, findings) = (0, 0, 0)
    for (index, path) in files.enumerated() {
      progress.show("\(index) of \(files.count) files")
      guard let content = FileManager.default.contents(atPath: path),
        let report = try? Report(source: String(decoding: content, as: UTF8.self))
      else {
        progress.clear()
        FileHandle.standardError.write(Data("\(path): does not parse, passed over\n".utf8))
        continue
      }
      waits += report.waits
      cancellable += report.cancellableWaits
      findings += report.findings.count
      if !report.findings.isEmpty { progress.clear() }
      for finding in report.findings {
        let place = "\(path):\(finding.line):\(finding.column)"
        print("\(place): warning: \(finding.message) [\(finding.kind.rawValue)]")
      }
    }
    progress.clear()
    let counts = "waits: \(waits), of which a cancelled task can leave: \(cancellable)"
    if !quiet { print("files: \(files.count), \(counts), findings: \(findings)") }
    return findings
  }
}
