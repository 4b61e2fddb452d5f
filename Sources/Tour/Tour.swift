import Foundation

/// Cancels calls to three real callback APIs, with hand-written wrappers and with the library.
@main
struct Tour {
  static let usage = """
    usage: swift run Tour [file]

    Cancels a child process, a file read and a download, and lets a child process time out. Does
    so with a hand-written wrapper and with the library, and prints what happened when.

      file    the file to read; by default the README of the current folder
    """

  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments == ["--help"] || arguments == ["-h"] { return print(usage) }
    guard arguments.count <= 1, !(arguments.first ?? "").hasPrefix("-") else {
      complain(usage)
      exit(64)  // EX_USAGE
    }
    do {
      try await run(path: arguments.first ?? "README.md")
    } catch {
      complain("Tour: \(error)")
      exit(EXIT_FAILURE)
    }
  }

  private static func run(path: String) async throws {
    // First, so that an unreadable file is reported at once.
    show(try await FileRead.toTheEnd(path))
    show(try await FileRead.cancelled(path))
    show(try await ChildProcess.cancelled())
    show(try await ChildProcess.timedOut())
    show(try await Download.scene())
    print(
      """
      The code is in Sources/Tour. The hand-written helper is one that projects copy: it checks
      for cancellation before the call and again in the callback, where the check never fires.
      Its timeout is copied, too: a task group races the call against a sleep, and then waits
      for the call, which nothing ends.
      """
    )
  }

  /// Prints a scene when it ends, also into a pipe.
  private static func show(_ scene: Scene) {
    print(scene)
    fflush(nil)
  }

  private static func complain(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}
