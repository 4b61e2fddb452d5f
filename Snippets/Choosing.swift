// Which error means cancelled: the code of the page "Choosing what to call".

import CooperativeCancellation
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@MainActor
final class Feed {
  private let service: Service
  private(set) var posts: [String] = []
  private(set) var message: String?

  init(service: Service) {
    self.service = service
  }

  // snippet.errors
  func refresh() async {
    do {
      posts = try await service.posts()
    } catch is CancellationError {
      // Nobody waits for the posts any more: there is nothing to show.
    } catch is TimeoutError {
      message = "This takes too long. Try again later."
    } catch {
      message = "The posts could not be loaded: \(error)"
    }
  }
  // snippet.end
}

@MainActor
final class Service {
  private let sdk: SDK
  private let timeout: Timeout

  init(sdk: SDK, timeout: Timeout = .seconds(60)) {
    self.sdk = sdk
    self.timeout = timeout
  }

  // snippet.own
  func posts() async throws -> [String] {
    do {
      return try await loadPosts()
    } catch let error as URLError where error.code == .cancelled {
      throw CancellationError()
    }
  }
  // snippet.end

  private func loadPosts() async throws -> [String] {
    try await withAsyncThrowingValue(timeout: timeout) { completion in
      sdk.load(completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

@MainActor
func show(_ name: String, _ feed: Feed) async {
  await feed.refresh()
  print("\(name): \(feed.posts), \(feed.message ?? "no message")")
}

await show("answered", Feed(service: Service(sdk: SDK(answer: .success(["Hello"])))))
await show("failed", Feed(service: Service(sdk: SDK(answer: .failure(URLError(.timedOut))))))
await show(
  "cancelled by others",
  Feed(service: Service(sdk: SDK(answer: .failure(URLError(.cancelled)))))
)
await show("timed out", Feed(service: Service(sdk: SDK(answer: nil), timeout: .milliseconds(10))))
let task = Task { await show("cancelled", Feed(service: Service(sdk: SDK(answer: nil)))) }
await Task.yield()
task.cancel()
await task.value

// MARK: - An SDK that cannot be changed

final class Request {
  private let onCancel: () -> Void

  init(_ onCancel: @escaping () -> Void) {
    self.onCancel = onCancel
  }

  func cancel() { onCancel() }
}

final class SDK {
  typealias Completion = @Sendable (Result<[String], any Error>) -> Void

  private let answer: Result<[String], any Error>?

  /// Makes one that gives this answer, or none.
  init(answer: Result<[String], any Error>?) {
    self.answer = answer
  }

  func load(_ completion: @escaping Completion) -> Request {
    if let answer { DispatchQueue.global().async { completion(answer) } }
    return Request { completion(.failure(URLError(.cancelled))) }
  }
}
