/// What the callbacks in this folder are passed to.
struct SDK: Sendable {
  func load(_ done: @escaping (String?, (any Error)?) -> Void) {}
  @discardableResult
  func count(_ done: @escaping (Result<Int, any Error>) -> Void) -> Request { Request() }
  func count() async throws -> Int { 0 }
  func start(_ done: @escaping () -> Void) throws {}
  func observe(_ change: @escaping (Int) -> Void) {}
}

struct Request { func cancel() {} }

struct Failure: Error {}

final class Box: @unchecked Sendable {
  var request: Request?
  var isDone = false
  var waiting: [CheckedContinuation<Int, any Error>] = []
}
