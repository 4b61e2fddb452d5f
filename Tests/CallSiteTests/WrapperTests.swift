// How to test your own wrapper: the code of the page "Test your wrapper".

import CooperativeCancellation
import CooperativeCancellationTesting
import Testing

struct Article: Sendable, Equatable {
  let title: String
}

struct ServerError: Error {}

protocol ArticleRequest {
  func cancel()
}

/// What the wrapper needs from the SDK.
protocol ArticleSDK {
  associatedtype Request: ArticleRequest
  typealias Completion = @Sendable (Result<Article, any Error>) -> Void

  func load(_ number: Int, _ completion: @escaping Completion) -> Request
}

@MainActor
final class Articles {
  private let sdk: any ArticleSDK
  private let timeout: Timeout

  init(sdk: any ArticleSDK, timeout: Timeout = .seconds(30)) {
    self.sdk = sdk
    self.timeout = timeout
  }

  func article(_ number: Int) async throws -> Article {
    try await withAsyncThrowingValue(timeout: timeout) { completion in
      sdk.load(number, completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

extension ArticleStore: ArticleSDK {}
extension ArticleStore.Loading: ArticleRequest {}

/// The real SDK.
struct ArticleStore {
  struct Loading {
    func cancel() {}
  }

  func load(
    _ number: Int,
    _ completion: @escaping @Sendable (Result<Article, any Error>) -> Void
  ) -> Loading {
    Loading()
  }
}

struct FakeArticleSDK: ArticleSDK {
  var loads = FakeCall<Completion>()

  func load(_ number: Int, _ completion: @escaping Completion) -> FakeCall<Completion>.Request {
    loads.record(completion)
  }
}

extension FakeCall.Request: ArticleRequest {}

@Suite("Your own wrapper", .watchdog)
@MainActor
struct WrapperTests {
  @Test func `the wrapper keeps every guarantee`() async throws {
    try await checkWrapper { @MainActor loads, clock in
      let timeout = Timeout(.seconds(5), clock: clock)
      return try await Articles(sdk: FakeArticleSDK(loads: loads), timeout: timeout).article(1)
    } success: { completion in
      completion(.success(Article(title: "Sea")))
    } failure: { completion in
      completion(.failure(ServerError()))
    }
  }

  @Test func `an answer is returned`() async throws {
    let loads = FakeCall<ArticleSDK.Completion>()
    let articles = Articles(sdk: FakeArticleSDK(loads: loads))
    let task = Task { try await articles.article(1) }
    let request = try await loads.next()
    request.answer { $0(.success(Article(title: "Sea"))) }
    #expect(try await task.value(within: .seconds(10)) == Article(title: "Sea"))
    #expect(request.cancelCount == 0)
  }

  @Test func `a call that waits can be cancelled`() async throws {
    let articles = Articles(sdk: FakeArticleSDK(), timeout: .seconds(100))
    let task = Task { try await articles.article(1) }
    try await waitForCalls(in: "WrapperTests.swift")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value(within: .seconds(10)) }
  }

  @Test func `a second answer is reported as misuse`() async throws {
    let article = Article(title: "Sea")
    let loads = FakeCall<ArticleSDK.Completion>()
    let articles = Articles(sdk: FakeArticleSDK(loads: loads))
    let reports = try await runtimeIssues {
      let task = Task { try await articles.article(1) }
      let request = try await loads.next()
      request.answer { $0(.success(article)) }
      request.answer { $0(.success(article)) }
      _ = try await task.value(within: .seconds(5))
    }
    #expect(reports.map(\.kind) == [.completionCalledAgain])
  }

  @Test func `a timeout is an error of its own`() async throws {
    let clock = ManualClock()
    let articles = Articles(
      sdk: FakeArticleSDK(),
      timeout: Timeout(.seconds(5), clock: clock)
    )
    let task = Task { try await articles.article(1) }
    try await clock.waitForSleeper()
    clock.advance(by: .seconds(5))
    await #expect(throws: TimeoutError.self) { try await task.value(within: .seconds(5)) }
  }

  @Test func `a cancellation reaches the SDK`() async throws {
    let loads = FakeCall<ArticleSDK.Completion>()
    let articles = Articles(sdk: FakeArticleSDK(loads: loads))
    let task = Task { try await articles.article(1) }
    let request = try await loads.next()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value(within: .seconds(5)) }
    try await request.cancelled()
  }
}
