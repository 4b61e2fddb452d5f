typealias Waiting = CheckedContinuation<Void, any Error>

/// What the callbacks in this folder are passed to.
struct SDK: Sendable {
  enum Step { case one, two, three }
  enum Failure { case none, denied, failed }
  struct Request { func cancel() {} }

  func load(_ done: @escaping (Int?, (any Error)?) -> Void) {}
  @discardableResult
  func fetchStatus(_ done: @escaping (Result<Void, any Error>) -> Void) -> Request { Request() }
  func finish(_ done: @escaping (Bool, (any Error)?) -> Void) {}
  func start(_ done: @escaping () -> Void) throws {}
  func export(completionHandler: @escaping (_ finished: Bool) -> Void) {}
  func visit(_ body: (Int) -> Void) {}
  func retry() {}
  func loadResult(_ done: @escaping (Result<Int?, any Error>) -> Void) {}
  func coordinate(error: inout (any Error)?, by accessor: (Int) -> Void) {}
  func observe(_ change: @escaping (Int) -> Void) {}
  func run() async throws {}
  func step(_ next: @escaping (Step) -> Void) {}
  func fail(_ done: @escaping (Failure) -> Void) {}
  func write(_ number: Int, toBuffer: @escaping ([Int]) -> Void) {}
}

/// As a connection of Network.
final class Connection: @unchecked Sendable {
  enum State { case preparing, ready, failed(any Error), cancelled }

  var stateUpdateHandler: (@Sendable (State) -> Void)?
  func cancel() {}
}

final class Box: @unchecked Sendable {
  var request: SDK.Request?
  var isDone = false

  func ask(_ done: @escaping () -> Void) {}

  var waiting: [CheckedContinuation<Void, any Error>] = []
  var table: [Int: [CheckedContinuation<Void, any Error>]] = [:]
}

/// As a publisher of Combine.
struct Publisher: Sendable {
  enum End { case finished, failure(any Error) }

  func sink(receiveCompletion: @escaping (End) -> Void, receiveValue: @escaping (Int) -> Void) {}
}
