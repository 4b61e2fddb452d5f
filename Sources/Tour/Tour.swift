import Foundation

/// Cancels calls to two real callback APIs, with hand-written wrappers and with the library, and prints what happened
/// when. `swift run Tour file` reads that file, instead of the README of the current folder.
@main
struct Tour {
  static func main() async {
    let path = CommandLine.arguments.dropFirst().first ?? "README.md"
    do {
      // First, so that an unreadable file is reported at once.
      try await FileRead.toTheEnd(path)
      try await FileRead.cancelled(path)
      try await Download.cancelled()
      try await Download.timedOut()
    } catch {
      FileHandle.standardError.write(Data("Tour: \(error)\n".utf8))
      exit(EXIT_FAILURE)
    }
    print(
      """
      The code is in Sources/Tour. The hand-written helper is one that projects copy: it checks
      for cancellation before the call and again in the callback, where the check never fires.
      Its timeout is copied, too: a task group races the call against a sleep, and then waits
      for the call, which nothing ends.
      """
    )
  }
}
