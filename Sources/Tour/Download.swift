import CooperativeCancellation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A download through `URLSession`'s completion handler.
enum Download {
  static func scene() async throws -> Scene {
    try await Scene(
      "A download that takes 2 s, cancelled after 1 s (URLSession.dataTask)",
      byHand: { timeline in
        "\(try await downloadByHand(SlowServer(noting: timeline).url)) bytes"
      },
      bridged: { timeline in
        let url = try SlowServer(noting: timeline).url
        return "\(try await download(url, noting: timeline)) bytes"
      },
      cancel: .after(.seconds(1)),
      isOver: { $0.contains("server:") }
    )
  }

  private static func downloadByHand(_ url: URL) async throws -> Int {
    try await byHandHelper { completion in
      URLSession.shared.dataTask(with: url) { data, _, error in
        completion(error.map { .failure($0) } ?? .success(data?.count ?? 0))
      }.resume()
    }
  }

  private static func download(_ url: URL, noting timeline: Timeline) async throws -> Int {
    try await withAsyncThrowingValue { completion in
      let task = URLSession.shared.dataTask(with: url) { data, _, error in
        completion(error.map { .failure($0) } ?? .success(data?.count ?? 0))
      }
      task.resume()
      return task
    } onCancel: { task in
      timeline.note("SDK told: cancel()")
      task.cancel()
    }
  }
}
