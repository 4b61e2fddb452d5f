// The code of the library's documentation comments, so that it compiles. Nothing here is called.

import CooperativeCancellation
import Foundation
import Observation

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
