import Foundation

/// Shows three real callback APIs being cancelled: wrapped by hand, as people do it, and bridged.
@main
struct Tour {
  static let usage = """
    usage: swift run Tour [file]

    Cancels a child process, a file read and a download, and lets a child process time out, each of
    them once wrapped by hand and once through the bridge, and prints what happened when.

      file    what to read; the README of the current folder if left out
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
    // First, so that a file that cannot be read is told at once.
    show(try await FileRead.toTheEnd(path))
    show(try await FileRead.cancelled(path))
    show(try await ChildProcess.cancelled())
    show(try await ChildProcess.timedOut())
    show(try await Download.scene())
    print(
      """
      The code is in Sources/Tour. "By hand" is the helper that circulates: it checks for
      cancellation before the call and again in the callback, and the second check never fires.
      Its timeout is the one that circulates: a task group races the call against a sleep, and
      then waits for the call, which nothing ends.
      """
    )
  }

  /// Prints a scene as it ends, also into a pipe.
  private static func show(_ scene: Scene) {
    print(scene)
    fflush(nil)
  }

  private static func complain(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
  }
}
