import CooperativeCancellation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A download through `URLSession`'s completion handler.
enum Download {
  static func cancelled() async throws {
    try await play(
      "A download that takes 2 s, cancelled after 1 s (URLSession.dataTask)",
      byHand: { try await loadByHand(SlowServer(noting: $0).url) },
      bridged: { try await load(SlowServer(noting: $0).url, noting: $0) },
      cancelAfter: .seconds(1),
      until: "server:"
    )
  }

  static func timedOut() async throws {
    try await play(
      "The same download, given 0.5 s",
      byHand: { timeline in
        let url = try SlowServer(noting: timeline).url
        return try await withTimeoutByHand(.milliseconds(500)) { try await loadByHand(url) }
      },
      bridged: {
        try await load(SlowServer(noting: $0).url, timeout: .milliseconds(500), noting: $0)
      },
      until: "server:"
    )
  }

  private static func loadByHand(_ url: URL) async throws -> String {
    try await byHandHelper { start(url, $0) }
  }

  private static func load(
    _ url: URL,
    timeout: Timeout? = nil,
    noting timeline: Timeline
  ) async throws -> String {
    try await withAsyncThrowingValue(timeout: timeout) { completion in
      start(url, completion)
    } onCancel: { task in
      timeline.note("SDK told: cancel()")
      task.cancel()
    }
  }

  @discardableResult
  private static func start(
    _ url: URL,
    _ completion: @escaping @Sendable (Result<String, any Error>) -> Void
  ) -> URLSessionDataTask {
    let task = URLSession.shared.dataTask(with: url) { data, _, error in
      completion(error.map { .failure($0) } ?? .success("\(data?.count ?? 0) bytes"))
    }
    task.resume()
    return task
  }
}
