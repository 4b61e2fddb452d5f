import ArgumentParser
import ContinuationChecks
import Foundation

@main
struct CheckContinuations: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-continuations",
    abstract: "Finds mistakes in continuations and completion handlers."
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
    var (waits, cancellable, findings) = (0, 0, 0)
    let start = ContinuousClock.now
    for (index, path) in files.enumerated() {
      if isatty(STDERR_FILENO) == 1, index % 100 == 0, .now - start > .seconds(1) {
        say("\(index) of \(files.count) files\r")
      }
      guard let content = FileManager.default.contents(atPath: path),
        let report = Report(source: String(decoding: content, as: UTF8.self))
      else {
        say("\(path): does not parse, passed over\n")
        continue
      }
      waits += report.waits
      cancellable += report.cancellableWaits
      findings += report.findings.count
      for finding in report.findings {
        let place = "\(path):\(finding.line):\(finding.column)"
        print("\(place): warning: \(finding.message) [\(finding.kind.rawValue)]")
      }
    }
    let counts = "waits: \(waits), of which a cancelled task can leave: \(cancellable)"
    if !quiet { print("files: \(files.count), \(counts), findings: \(findings)") }
    return findings
  }

  private func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  /// The Swift files in files and folders, without links and without what builds make or fetch.
  private func swiftFiles(in paths: [String]) -> [String] {
    let skipped = [
      "DerivedData", "Pods", "Carthage", "checkouts", "SourcePackages", "node_modules", "build",
    ]
    return paths.flatMap { path -> [String] in
      // The slash follows a link that is named.
      let names = try? FileManager.default.contentsOfDirectory(atPath: path + "/")
      guard let names else { return path.hasSuffix(".swift") ? [path] : [] }
      let inside = names.sorted().filter { !$0.hasPrefix(".") && !skipped.contains($0) }
        .map { (path.hasSuffix("/") ? path : path + "/") + $0 }
      // Not a link, nor a pipe or a device, which may have no end.
      return swiftFiles(
        in: inside.filter {
          let type = try? FileManager.default.attributesOfItem(atPath: $0)[.type]
          return [.typeRegular, .typeDirectory].contains(type as? FileAttributeType)
        }
      )
    }
  }
}
