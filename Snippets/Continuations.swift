// Continuations whose task can be cancelled: the code of the pages "Migrating" and "Recipes" that uses them.

import CooperativeCancellation
import Dispatch

struct Image: Sendable {}
struct MissingImage: Error {}

final class Request: Sendable {
  func cancel() { print("the SDK was told") }
}

final class SDK: Sendable {
  func loadImage(
    at url: String,
    _ completion: @escaping @Sendable (Image?, (any Error)?) -> Void
  ) -> Request {
    if url != "slow" { DispatchQueue.global().async { completion(Image(), nil) } }
    return Request()
  }

  /// Ignores cancellation.
  func summary(of document: String) async -> String {
    await withUncancellableContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) {
        continuation.resume(returning: "summary of \(document)")
      }
    }
  }
}

let sdk = SDK()

func image(at url: String) async throws -> Image {
  try await withCancellableThrowingContinuation { continuation in
    sdk.loadImage(at: url) { image, error in
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

struct Waiter<Value>: Sendable {
  let number: Int
  let continuation: CancellableContinuation<Value, any Error>
}

struct Connection: Sendable { let number: Int }

actor Pool {
  private var idle = [Connection(number: 1)]
  private var waiters: [Waiter<Connection>] = []
  private var lastNumber = 0

  func take() async throws -> Connection {
    if let connection = idle.popLast() { return connection }
    return try await withCancellableThrowingContinuation { continuation in
      lastNumber += 1
      waiters.append(Waiter(number: lastNumber, continuation: continuation))
      return lastNumber
    } onCancel: { number in
      waiters.removeAll { $0.number == number }
    }
  }

  func giveBack(_ connection: Connection) {
    while !waiters.isEmpty {
      if waiters.removeFirst().continuation.resume(returning: connection) { return }
    }
    idle.append(connection)
  }
}

actor Lock {
  private var isLocked = false
  private var waiters: [Waiter<Void>] = []
  private var lastNumber = 0

  func lock() async throws {
    if !isLocked { return isLocked = true }
    try await withCancellableThrowingContinuation { continuation in
      lastNumber += 1
      waiters.append(Waiter(number: lastNumber, continuation: continuation))
      return lastNumber
    } onCancel: { number in
      waiters.removeAll { $0.number == number }
    }
  }

  /// Passes the lock on to the first task that still waits.
  func unlock() {
    while !waiters.isEmpty {
      if waiters.removeFirst().continuation.resume() { return }
    }
    isLocked = false
  }
}

actor Queue<Element: Sendable> {
  private var elements: [Element] = []
  private var waiters: [Waiter<Element>] = []
  private var lastNumber = 0

  func next() async throws -> Element {
    if !elements.isEmpty { return elements.removeFirst() }
    return try await withCancellableThrowingContinuation { continuation in
      lastNumber += 1
      waiters.append(Waiter(number: lastNumber, continuation: continuation))
      return lastNumber
    } onCancel: { number in
      waiters.removeAll { $0.number == number }
    }
  }

  func add(_ element: Element) {
    while !waiters.isEmpty {
      if waiters.removeFirst().continuation.resume(returning: element) { return }
    }
    elements.append(element)
  }
}

_ = try await image(at: "sea")
let slow = Task { try await image(at: "slow") }
slow.cancel()
print("an image:", await slow.result)
print(try await summary(of: "a letter"))

let pool = Pool()
let connection = try await pool.take()
let gone = Task { try await pool.take() }
let next = Task { try await pool.take() }
gone.cancel()
_ = await gone.result
await pool.giveBack(connection)
print("the next task has connection", try await next.value.number)

let lock = Lock()
try await lock.lock()
async let second: Void = lock.lock()
await lock.unlock()
try await second
print("locked again")

let queue = Queue<Int>()
async let element = queue.next()
await queue.add(1)
print("element", try await element)
