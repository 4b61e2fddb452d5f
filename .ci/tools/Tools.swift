import Foundation

/// The checks that need more than a shell, called by the commands in the parent folder.
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
    default:
      throw Failure("unknown arguments: \(arguments.joined(separator: " "))")
    }
  }
}
