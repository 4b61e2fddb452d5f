import Foundation

/// The check of `.ci/links`, which needs more than a shell.
@main
struct Tools {
  static func main() {
    do {
      try Links(Repository()).check()
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(EXIT_FAILURE)
    }
  }
}
