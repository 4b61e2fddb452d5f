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
    case "links" where arguments.count == 1:
      try Links(Repository()).check()
    case "coverage" where arguments.count == 2:
      try Coverage(of: arguments[1]).check()
    default:
      throw Failure("unknown arguments: \(arguments.joined(separator: " "))")
    }
  }
}
