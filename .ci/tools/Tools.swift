import Foundation

/// The checks that need more than a shell. The commands beside this folder call it.
@main
struct Tools {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(EXIT_FAILURE)
    }
  }

  private static func run(_ arguments: [String]) throws {
    switch arguments.first {
    case "code-blocks" where arguments.count == 1:
      try CodeBlocks(Repository()).check()
    case "links" where arguments.count == 1:
      try Links(Repository()).check()
    case "coverage" where arguments.count == 2:
      try Coverage(of: arguments[1]).check()
    case "test-coverage" where arguments.count == 3:
      try TestCoverage(of: arguments[1]).check(against: arguments[2])
    case "mutations":
      try mutate(Array(arguments.dropFirst()))
    case "pictures" where arguments.count == 1:
      try Pictures().write(to: "Documentation.docc")
    case "pictures" where arguments.dropFirst() == ["--check"]:
      try Pictures().check(against: "Documentation.docc")
    default:
      throw Failure("unknown arguments: \(arguments.joined(separator: " "))")
    }
  }
  private static func mutate(_ arguments: [String]) throws {
    let options = Set(arguments.filter { $0.hasPrefix("--") })
    let mutations = try Mutations(
      Repository(),
      words: arguments.filter { !$0.hasPrefix("--") },
      release: options.contains("--release")
    )
    guard options.isSubset(of: ["--list", "--release"]) else {
      throw Failure("unknown options: \(options.sorted().joined(separator: " "))")
    }
    if options.contains("--list") { mutations.list() } else { try mutations.run() }
  }
}
