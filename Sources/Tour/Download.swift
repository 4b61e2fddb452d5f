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
      byHand: { timeline in
        let url = try SlowServer(noting: timeline).url
        return try await byHandHelper { start(url, $0) }
      },
      bridged: { timeline in
        let url = try SlowServer(noting: timeline).url
        return try await withAsyncThrowingValue { completion in
          start(url, completion)
        } onCancel: { task in
          timeline.note("SDK told: cancel()")
          task.cancel()
        }
      },
      cancelAfter: .seconds(1),
      until: "server:"
    )
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
