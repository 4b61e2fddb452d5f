/// What the callbacks in this folder are passed to.
struct SDK: Sendable {
  struct Request { func cancel() {} }

  func load(_ done: @escaping (Int?, (any Error)?) -> Void) {}
  @discardableResult
  func fetch(_ done: @escaping (Result<Void, any Error>) -> Void) -> Request { Request() }
  func start(_ done: @escaping () -> Void) throws {}
  func observe(_ change: @escaping (Int) -> Void) {}
  func run() async throws {}
}

struct Failure: Error {}

final class Box: @unchecked Sendable {
  var request: SDK.Request?
  var isDone = false
  var waiting: [CheckedContinuation<Void, any Error>] = []
}
