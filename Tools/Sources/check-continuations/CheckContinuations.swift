import ArgumentParser
import ContinuationChecks
import Foundation

@main
struct CheckContinuations: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check-continuations",
    abstract: "Finds mistakes in continuations and completion handlers.",
    discussion: """
      The exit status is 0 if everything was checked and nothing found, 1 with findings, 2 if \
      something was not checked, and 64 for wrong usage.

      The kinds: \(Kind.all.filter { !$0.isDebatable }.map(\.name).joined(separator: ", ")); and, \
      if you ask for it, \(Kind.all.filter(\.isDebatable).map(\.name).joined(separator: ", ")).
      """
  )

  @Argument(help: "The files and folders to check.")
  var paths: [String]

  @Option(parsing: .upToNextOption, help: "Report only these kinds.")
  var only: [Kind] = []

  @Option(parsing: .upToNextOption, help: "Do not report these kinds.")
  var skip: [Kind] = []

  @Flag(help: "Report the kinds that are debatable, too.")
  var all = false

  @Option(help: "How to print findings: for Xcode, or as annotations of GitHub.")
  var format = Format.xcode

  @Option(help: "Report only what is not in this file.")
  var baseline: String?

  @Option(help: "Write what is found to this file, and report nothing.")
  var writeBaseline: String?

  @Flag(help: "Pass over paths that do not exist, as in a list of changed files.")
  var allowMissing = false

  @Flag(name: .shortAndLong, help: "Print only the findings.")
  var quiet = false

  @Flag(help: "List the waits that a cancelled task can leave, with the handlers in their callers.")
  var listWaits = false

  var kinds: Set<Kind> {
    let asked = only.isEmpty ? Kind.all.filter { all || !$0.isDebatable } : only
    return Set(asked).subtracting(skip)
  }

  /// What may turn out to be one of the kinds that are asked for or counted.
  var searchedKinds: Set<Kind> {
    let wanted = kinds.union(hiddenKinds)
    return wanted.union(Kind.all.filter { $0.debatable.map(wanted.contains) == true })
  }

  /// What is counted, so that one knows what `--all` would add.
  var hiddenKinds: Set<Kind> {
    only.isEmpty ? Set(Kind.all.filter(\.isDebatable)).subtracting(skip + kinds) : []
  }

  func run() {
    // Code that nests deeply needs a deep stack.
    let thread = Thread {
      let status = Run(command: self, print: { print($0) }, say: say).status()
      Self.exit(withError: status == 0 ? nil : ExitCode(status))
    }
    thread.stackSize = 1 << 30
    thread.start()
    while true { sleep(1_000) }
  }
}

private func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

extension Kind: ExpressibleByArgument {
  public init?(argument: String) {
    guard let kind = Kind.all.first(where: { $0.name == argument }) else { return nil }
    self = kind
  }

  public static var allValueStrings: [String] { all.map(\.name) }
}
