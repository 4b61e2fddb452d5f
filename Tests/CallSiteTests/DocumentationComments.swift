// The code of the library's documentation comments, so that it compiles. Nothing here is called.

import CooperativeCancellation
import Foundation
import Observation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@MainActor
private struct DocumentedBridges {
  let sdk = DocumentedSDK()
  let session = URLSession.shared
  let url = URL(filePath: "/")
  let id = "1"
  let name = "Ann"
  let path = "/"
  let file = "/"
  let document = DocumentedSDK.Document([])

  typealias User = DocumentedSDK.User
  typealias Profile = DocumentedSDK.User
  typealias Document = DocumentedSDK.Document

  func user(id: String) async throws -> User {
    try await withAsyncThrowingValue { completion in
      sdk.loadUser(id, completion: completion)
    } onCancel: { request in
      request.cancel()
    }
  }

  func rename() async throws {
    try await withAsyncThrowingValue { completion in
      sdk.rename(to: name) { @Sendable error in
        if let error { completion(.failure(error)) } else { completion(.success) }
      }
    }
  }

  func typedFailure() async throws -> User {
    let user = try await withAsyncThrowingValue { sdk.loadUser(id, completion: $0) }
    return user
  }

  func read() async throws -> Document {
    let document: Document = try await withAsyncThrowingValue { completion in
      sdk.read(path) { @Sendable bytes, error in
        if let error { completion(.failure(error)) } else { completion(.success(Document(bytes))) }
      }
    }
    return document
  }

  func successAndFailure() async throws -> User {
    let user = try await withAsyncThrowingValue { success, failure in
      sdk.loadUser(id, success: success, failure: failure)
    }
    return user
  }

  func receipt() async throws -> String {
    let receipt = try await withAsyncThrowingValue { completion in
      LateRequest(cancel: { $0.cancel() }) { arrived in
        sdk.upload(file, taskHandler: arrived, completion: completion)
      }
    } onCancel: {
      $0.cancel()
    }
    return receipt
  }

  func token() async throws -> String {
    let token = try await withAsyncThrowingValue { success, failure, cancelled in
      sdk.signIn(success: success, failure: failure, cancelled: cancelled)
    }
    return token
  }

  func image() async throws -> Data {
    let image = try await withAsyncThrowingValue { sdk.image(at: url, completion: $0) }
    return image
  }

  func dataAndResponse() async throws -> (Data, URLResponse) {
    let (data, response) = try await withAsyncThrowingValue { completion in
      let task = session.dataTask(with: url, completionHandler: completion)
      task.resume()
      return task
    } onCancel: {
      $0.cancel()
    }
    return (data, response)
  }

  func save() async throws {
    try await withAsyncThrowingValue { sdk.save(document, completion: $0) }
  }

  func findUser() async throws -> User? {
    let user: User? = try await withAsyncThrowingValue { sdk.findUser(id, completion: $0) }
    return user
  }

  func owner(of name: String) async throws -> Profile? {
    try await withAsyncThrowingValue { sdk.findOwner(of: name, completion: $0) }
  }

  func cacheSizeOrCancellation() async throws -> Int {
    let size = try await withAsyncThrowingValue { sdk.measureCache($0) }
    return size
  }

  func flushOrCancellation() async throws {
    try await withAsyncThrowingValue { sdk.flush($0) }
  }

  func displayName() async -> String {
    let name = await withAsyncValue(fallback: "Guest") { completion in
      sdk.displayName(completion)
    }
    return name
  }

  func flush() async {
    await withAsyncValue(fallback: ()) { sdk.flush($0) }
    await withAsyncValue { sdk.flush($0) }
  }

  func cacheSize() async -> Int {
    let size = await withAsyncValue { completion in
      sdk.measureCache(completion)
    }
    return size
  }

  func export() async throws -> Int {
    try await withCancellationFlag { flag in
      try await withAsyncThrowingValue(timeout: .seconds(60)) { completion in
        sdk.export(shouldContinue: { !flag.isCancelled }, completion: completion)
      } onCancel: {
        flag.cancel()
      }
    }
  }
}

private enum ServiceError: Error {
  case failed(any Error)

  init(_ error: any Error) { self = .failed(error) }
}

@MainActor
private struct DocumentedResults {
  typealias User = DocumentedSDK.User
  typealias Document = DocumentedSDK.Document

  let sdk = DocumentedSDK()

  func user(id: String) async -> Result<User, ServiceError> {
    await withAsyncResult(mapError: ServiceError.init) { sdk.loadUser(id, completion: $0) }
  }

  func save(_ document: Document) async -> Result<Void, ServiceError> {
    await withAsyncResult(mapError: ServiceError.init) { sdk.save(document, completion: $0) }
  }
}

@MainActor
private struct DocumentedTypedThrows {
  typealias User = DocumentedSDK.User

  let sdk = DocumentedSDK()

  func user(id: String) async throws(ServiceError) -> User {
    try await withAsyncResult(mapError: ServiceError.init) { sdk.loadUser(id, completion: $0) }
      .get()
  }
}

private struct DocumentedCallbackContext {
  struct FetchError: Error {
    let status: Int32

    init(_ status: Int32) { self.status = status }
  }

  typealias Callback = @convention(c) (UnsafeMutableRawPointer?, Int32, Int32) -> Void

  func fetch(_ key: String, _ callback: Callback, _ context: UnsafeMutableRawPointer?) -> Int32 {
    0
  }

  func work(
    _ steps: Int32,
    _ shouldStop: @convention(c) (UnsafeMutableRawPointer?) -> Int32,
    _ context: UnsafeMutableRawPointer?
  ) -> Int32 { steps }

  func steps(_ flag: CancellationFlag) -> Int32 {
    // int work(int steps, int (*should_stop)(void *context), void *context);
    let done = withCallbackContext({ () -> Int32 in flag.isCancelled ? 1 : 0 }) { context in
      work(1000, { @Sendable in CallbackContext.call($0, otherwise: 1) }, context)
    }
    return done
  }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  func progress_handler(
    _ shouldStop: @convention(c) (UnsafeMutableRawPointer?) -> Int32,
    _ context: UnsafeMutableRawPointer?
  ) {}

  func value(_ key: String) async throws -> Int32 {
    // int fetch(const char *key, void (*callback)(void *context, int status, int value), void *context);
    let value = try await withAsyncThrowingValue { completion in
      let context = CallbackContext { (status: Int32, value: Int32) in
        completion(status == 0 ? .success(value) : .failure(FetchError(status)))
      }
      let status = fetch(key, { @Sendable in CallbackContext.call($0, $1, $2) }, context.pointer)
      guard status == 0 else { throw FetchError(status) }
      return context
    }
    return value
  }

  func work(_ flag: CancellationFlag) {
    // void progress_handler(int (*should_stop)(void *context), void *context);
    let context = CallbackContext(isRepeating: true) { () -> Int32 in flag.isCancelled ? 1 : 0 }
    defer { context.release() }
    progress_handler({ @Sendable in CallbackContext.call($0, otherwise: 1) }, context.pointer)
  }
}

private struct DocumentedCheckpoints {
  struct Session {
    func close() async {}
  }

  let fileManager = FileManager.default
  let partialFile = URL(filePath: "/")
  let session = Session()

  func render(_ page: String) {}
  func compress(_ block: [UInt8]) {}
  func doSomething() async {}
  func doSomethingElse() async {}
  func releaseResources() async {}

  func renderAll(_ pages: [String]) throws {
    for page in pages {
      try checkpoint()
      render(page)
    }
  }

  func cleanUp() async throws {
    try checkpoint { try? fileManager.removeItem(at: partialFile) }
    try await checkpoint { await session.close() }
  }

  func compressAll(_ blocks: [[UInt8]]) async throws {
    for block in blocks {
      compress(block)
      try await yieldingCheckpoint()
    }
  }

  func addUp(_ numbers: [Int]) throws -> Int {
    var sum = 0
    var pace = PacedCheckpoint(every: 1_000)
    for number in numbers {
      sum += number
      try pace.checkpoint()
    }
    return sum
  }

  func work() async throws {
    try await withCancellationCleanUp {
      try checkpoint()
      await doSomething()
      try checkpoint()
      await doSomethingElse()
    } cleanUp: {
      await releaseResources()
    }
  }
}

private enum DocumentedTasks {
  struct Post: Sendable {}

  struct Service: Sendable {
    func posts() async throws -> [Post] { [] }
  }

  struct Logger: Sendable {
    func error(_ message: String) {}
  }

  static func listen() async {}

  static func log(to logger: Logger) {
    MisuseReport.handler = { report in logger.error("\(report)") }
  }

  static func store() {
    var tasks: Set<AnyTask> = []
    Task { await listen() }.store(in: &tasks)
    // When `tasks` is destroyed, the task is cancelled.
  }

  @MainActor @Observable
  final class FeedModel {
    private let tasks = TaskBag()
    private let service = Service()
    var posts: [Post] = []

    func refresh() {
      tasks.add(id: "refresh") { [weak self, service] in
        let posts = try await service.posts()
        self?.posts = posts
      }
    }
  }

  @MainActor
  final class FeatureAViewModel: TaskOwner {
    let taskBag = TaskBag()

    func refresh() {
      addTask { [weak self] in await self?.load() }
    }

    private func load() async {}
  }

  static func shutDown(_ bag: TaskBag) async throws {
    bag.close()
    bag.cancelAll()
    try await bag.waitForAll()
  }
}

/// An SDK with a method for each comment.
private final class DocumentedSDK {
  struct User: Sendable {}

  struct SDKError: Error {}

  /// Not `Sendable`.
  final class Document {
    init(_ bytes: [UInt8]) {}
  }

  final class Request {
    func cancel() {}
  }

  final class UploadTask: Sendable {
    func cancel() {}
  }

  func upload(
    _ file: String,
    taskHandler: (UploadTask) -> Void,
    completion: @escaping @Sendable (String?, (any Error)?) -> Void
  ) {}

  func loadUser(_ id: String, completion: @escaping (Result<User, any Error>) -> Void) -> Request {
    Request()
  }

  func loadUser(_ id: String, completion: @escaping (Result<User, SDKError>) -> Void) {}

  func loadUser(
    _ id: String,
    success: @escaping (User) -> Void,
    failure: @escaping (any Error) -> Void
  ) {}

  func signIn(
    success: @escaping (String) -> Void,
    failure: @escaping (any Error) -> Void,
    cancelled: @escaping () -> Void
  ) {}

  func rename(to name: String, completion: @escaping @Sendable ((any Error)?) -> Void) {}
  func read(_ path: String, completion: @escaping ([UInt8], (any Error)?) -> Void) {}
  func image(at url: URL, completion: @escaping (Data?, (any Error)?) -> Void) {}
  func save(_ document: Document, completion: @escaping ((any Error)?) -> Void) {}
  func findUser(_ id: String, completion: @escaping @Sendable (User?, (any Error)?) -> Void) {}
  func findOwner(of name: String, completion: @escaping (User?, (any Error)?) -> Void) {}
  func displayName(_ completion: @escaping (String) -> Void) {}
  func flush(_ completion: @escaping () -> Void) {}
  func measureCache(_ completion: @escaping (Int) -> Void) {}

  func export(
    shouldContinue: @escaping @Sendable () -> Bool,
    completion: @escaping @Sendable (Result<Int, any Error>) -> Void
  ) {}
}
