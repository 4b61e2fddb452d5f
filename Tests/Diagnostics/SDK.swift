// The SDK for these mistakes.

final class SDK {
  @discardableResult
  func load(_ completion: @escaping @Sendable (Result<User, any Error>) -> Void) -> Request {
    Request()
  }
  func open(_ completion: @escaping @Sendable (Result<Document, any Error>) -> Void) {}
  func size(_ completion: @escaping @Sendable (Int) -> Void) {}
  func flush(_ completion: @escaping @Sendable () -> Void) {}
  func save(_ completion: @escaping @Sendable ((any Error)?) -> Void) {}
  func find(_ completion: @escaping @Sendable (User?, (any Error)?) -> Void) {}
  func place(_ completion: @escaping @Sendable (Int, Int, String, User) -> Void) {}
  func address(
    _ completion: @escaping @Sendable (Int?, String?, String?, User?, (any Error)?) -> Void
  ) {}
}

final class Request {
  func cancel() {}
}

struct User: Sendable {}
final class Document {}
