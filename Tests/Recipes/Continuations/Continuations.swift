// Continuations whose task can be cancelled: the code of the pages "Choosing" and "Recipes" that
// uses them.

import CooperativeCancellation
import TaskBags

struct Image: Sendable {}
struct MissingImage: Error {}

struct Request: Sendable {
  func cancel() {}
}

final class SDK: Sendable {
  func loadImage(
    at url: String,
    _ completion: @escaping @Sendable (Image?, (any Error)?) -> Void
  ) -> Request {
    completion(Image(), nil)
    return Request()
  }

  /// Ignores cancellation.
  func summary(of document: String) async -> String { document }
}

let sdk = SDK()

func image(at url: String) async throws -> Image {
  try await withCancellableThrowingContinuation { continuation in
    sdk.loadImage(at: url) { @Sendable image, error in
      if let image {
        continuation.resume(returning: image)
      } else {
        continuation.resume(throwing: error ?? MissingImage())
      }
    }
  } onCancel: { request in
    request.cancel()
  }
}

func summary(of document: String) async throws -> String {
  try await withAbandonableTask(timeout: .seconds(5)) {
    await sdk.summary(of: document)
  }
}

// Your own synchronization, where a resumption hands something over.

/// Tasks that wait for a value, in order.
nonisolated final class Waiters<Value: Sendable> {
  private var waiting: [(number: Int, continuation: CancellableContinuation<Value, any Error>)] = []
  private var lastNumber = 0

  nonisolated(nonsending) func value() async throws -> Value {
    try await withCancellableThrowingContinuation { continuation in
      lastNumber += 1
      waiting.append((lastNumber, continuation))
      return lastNumber
    } onCancel: { number in
      waiting.removeAll { $0.number == number }
    }
  }

  /// Hands the value to the first task that is still waiting. Returns whether there is one.
  func resumeFirst(returning value: Value) -> Bool {
    while !waiting.isEmpty {
      if waiting.removeFirst().continuation.tryResume(returning: value) { return true }
    }
    return false
  }

  func resumeAll(throwing error: any Error) {
    for waiter in waiting { waiter.continuation.resume(throwing: error) }
    waiting = []
  }
}

struct Connection: Sendable { let number: Int }

actor Pool {
  private var idle = [Connection(number: 1)]
  private let waiters = Waiters<Connection>()

  func take() async throws -> Connection {
    try checkpoint()
    if let connection = idle.popLast() { return connection }
    return try await waiters.value()
  }

  func giveBack(_ connection: Connection) {
    if !waiters.resumeFirst(returning: connection) { idle.append(connection) }
  }
}

actor Lock {
  private var isLocked = false
  private let waiters = Waiters<Void>()

  func lock() async throws {
    try checkpoint()
    if isLocked { try await waiters.value() } else { isLocked = true }
  }

  func unlock() {
    isLocked = waiters.resumeFirst(returning: ())
  }
}

actor Queue<Element: Sendable> {
  private var elements: [Element] = []
  private var failure: (any Error)?
  private let waiters = Waiters<Element>()

  func next() async throws -> Element {
    try checkpoint()
    if !elements.isEmpty { return elements.removeFirst() }
    if let failure { throw failure }
    return try await waiters.value()
  }

  func add(_ element: Element) {
    if !waiters.resumeFirst(returning: element) { elements.append(element) }
  }

  func close(throwing error: any Error) {
    failure = error
    waiters.resumeAll(throwing: error)
  }
}

@MainActor
final class Feed {
  private let messages = Queue<String>()
  private let taskBag = TaskBag()

  init(_ socket: SocketTask) {
    taskBag.add { [messages] in await read(socket, into: messages) }
  }

  func nextMessage() async throws -> String { try await messages.next() }
}

/// Reads a web socket until it is closed.
func read(_ socket: SocketTask, into messages: Queue<String>) async {
  do {
    while true {
      await messages.add(try await withAsyncThrowingValue { socket.receive(completionHandler: $0) })
    }
  } catch {
    await messages.close(throwing: error)
  }
}

/// Like `URLSessionWebSocketTask`: each call of `receive` takes one message.
struct SocketTask: Sendable {
  func receive(completionHandler: @escaping @Sendable (Result<String, any Error>) -> Void) {}
}
