/// Lets a test wait until something has happened.
struct Signal: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func fire() {
    continuation.finish()
  }

  func wait() async {
    for await _ in stream {}
  }
}
