/// What the callbacks in this folder are passed to.
struct SDK: Sendable {
  struct Request { func cancel() {} }

  func load(_ done: @escaping (Int?, (any Error)?) -> Void) {}
  @discardableResult
  func fetchStatus(_ done: @escaping (Result<Void, any Error>) -> Void) -> Request { Request() }
  func start(_ done: @escaping () -> Void) throws {}
  func export(completionHandler: @escaping (_ finished: Bool) -> Void) {}
  func visit(_ body: (Int) -> Void) {}
  func retry() {}
  func observe(_ change: @escaping (Int) -> Void) {}
  func run() async throws {}
}

final class Box: @unchecked Sendable {
  var request: SDK.Request?
  var isDone = false
  var waiting: [CheckedContinuation<Void, any Error>] = []
  var table: [Int: [CheckedContinuation<Void, any Error>]] = [:]
}
