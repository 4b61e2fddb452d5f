import Foundation

/// Cancels calls to a real API, through a hand-written wrapper and the library, and prints what
/// happened when.
@main
struct Tour {
  static func main() async throws {
    try await Download(title: "A download that takes 1 s (URLSession.dataTask)").play()
    try await Download(
      title: "The same, cancelled just before the callback reports its end",
      isCancelledAtEnd: true
    ).play()
    try await Download(title: "The same, cancelled after 0.5 s").play(
      cancelAfter: .milliseconds(500)
    )
    try await Download(title: "The same, given 0.25 s", timeout: .milliseconds(250)).play()
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
