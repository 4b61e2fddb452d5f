// How to test a wrapper of one's own: the code of the page "Recipes for apps".

import CooperativeCancellation
import Testing

struct Article: Sendable, Equatable {
  let title: String
}

protocol ArticleRequest {
  func cancel()
}

// snippet.seam
/// What the wrapper uses of the SDK: in the app, an extension makes the SDK conform.
protocol ArticleSDK {
  func load(
    _ number: Int,
    _ completion: @escaping @Sendable (Result<Article, any Error>) -> Void
  ) -> any ArticleRequest
}

@MainActor
final class Articles {
  private let sdk: any ArticleSDK

  init(sdk: any ArticleSDK) {
    self.sdk = sdk
  }

  func article(_ number: Int) async throws -> Article {
    try await withAsyncThrowingValue { completion in
      sdk.load(number, completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}
// snippet.end

// snippet.fake
/// An SDK that answers when the test says so.
final class FakeArticleSDK: ArticleSDK {
  typealias Completion = @Sendable (Result<Article, any Error>) -> Void

  final class Request: ArticleRequest {
    private(set) var isCancelled = false

    func cancel() { isCancelled = true }
  }

  let request = Request()
  private let (calls, newCall) = AsyncStream<Completion>.makeStream()

  func load(_ number: Int, _ completion: @escaping Completion) -> any ArticleRequest {
    newCall.yield(completion)
    return request
  }

  /// Waits until the SDK is called.
  @MainActor
  func nextCall() async -> Completion? {
    for await completion in calls { return completion }
    return nil
  }
}

/// Waits for a task. Unlike `task.value`, it ends when the time limit cancels the test.
func value<Value: Sendable>(of task: Task<Value, any Error>) async throws -> Value {
  try await withAsyncThrowingValue { completion in
    Task { completion(await task.result) }
  }
}
// snippet.end

@Suite("A wrapper of one's own", .timeLimit(.minutes(10)))
@MainActor
struct WrapperTests {
  // snippet.tests
  @Test
  func `an answer is returned`() async throws {
    let sdk = FakeArticleSDK()
    let task = Task { try await Articles(sdk: sdk).article(1) }
    let completion = try #require(await sdk.nextCall())
    completion(.success(Article(title: "Sea")))
    #expect(try await value(of: task) == Article(title: "Sea"))
    #expect(!sdk.request.isCancelled)
  }

  @Test
  func `a cancel ends the wait and reaches the SDK`() async throws {
    let sdk = FakeArticleSDK()
    let task = Task { try await Articles(sdk: sdk).article(1) }
    let completion = try #require(await sdk.nextCall())
    task.cancel()
    await #expect(throws: CancellationError.self) { try await value(of: task) }
    #expect(sdk.request.isCancelled)
    completion(.success(Article(title: "too late")))
  }
  // snippet.end

  @Test
  func `a test that waits for a wrapper which never ends is ended by its time limit`() async {
    let (never, _) = AsyncStream<Never>.makeStream()
    let wrong = Task<Void, any Error> { for await _ in never {} }
    // What the time limit does to the test.
    let test = Task { try await value(of: wrong) }
    test.cancel()
    let result = await test.result
    #expect(throws: CancellationError.self) { try result.get() }
    wrong.cancel()
  }
}
