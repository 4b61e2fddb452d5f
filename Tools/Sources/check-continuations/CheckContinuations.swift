import ArgumentParser
import ContinuationChecks
import Foundation

@main
struct CheckContinuations: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-continuations",
    abstract: "Finds what is wrong with continuations and completion handlers.",
    discussion: """
      Prints each finding as the compiler prints a warning, and exits with 1 if there is one. To \
      silence a finding, write a comment on its line or on the line before:

        // check-continuations:disable never-resumed: the SDK always passes one of them

      The kinds: \(Kind.allCases.map(\.rawValue).joined(separator: ", ")).
      """
  )

  @Argument(help: "The files and folders to check.", completion: .file())
  var paths: [String]

  @Flag(name: .shortAndLong, help: "Print only the findings.")
  var quiet = false

  func validate() throws {
    for path in paths where !FileManager.default.fileExists(atPath: path) {
      throw ValidationError("There is no file or folder '\(path)'.")
    }
  }

  func run() throws {
    // Code that nests deeply needs a deep stack.
    let thread = Thread { Self.exit(withError: check()) }
    thread.stackSize = 1 << 30
    thread.start()
    while true { sleep(1_000) }
  }

  /// Returns how to exit.
  private func check() -> ExitCode? {
    let files = SourceFiles(in: paths).paths
    var progress = Progress(total: files.count)
    var (waits, cancellable, findings) = (0, 0, 0)
    for (index, path) in files.enumerated() {
      progress.advance(to: index)
      do {
        guard let content = FileManager.default.contents(atPath: path) else {
          throw CocoaError(.fileReadUnknown)
        }
        let report = try Report(source: String(decoding: content, as: UTF8.self))
        waits += report.waits
        cancellable += report.cancellableWaits
        findings += report.findings.count
        if !report.findings.isEmpty { progress.clear() }
        for finding in report.findings {
          let place = "\(path):\(finding.line):\(finding.column)"
          print("\(place): warning: \(finding.message) [\(finding.kind.rawValue)]")
        }
      } catch {
        progress.clear()
        let problem = error is Report.DoesNotParse ? "does not parse" : "cannot be read"
        FileHandle.standardError.write(Data("\(path): \(problem), passed over\n".utf8))
      }
    }
    progress.clear()
    if !quiet {
      print(
        "\(count(waits, "wait")), \(cancellable) of which a cancelled task can leave; "
          + "\(count(findings, "finding")) in \(count(files.count, "file"))"
      )
    }
    return findings == 0 ? nil : ExitCode(1)
  }

  private func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
