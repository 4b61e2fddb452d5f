// Loops that pause, and streams with a task.

final class Loops: Sendable {
  let box = Box()
  let sdk = SDK()

  func polls() async {
    while !box.isDone {
      try? await Task.sleep(for: .seconds(1))  // warning: sleep-ignores-cancellation
    }
  }

  func retries() async throws {
    for attempt in 1...3 {
      do {
        return try await sdk.run()
      } catch {
        if attempt == 3 { throw error }
        try? await Task.sleep(for: .seconds(1))  // warning: maybe-sleep-ignores-cancellation
      }
    }
  }

  func pollsTenTimes() async {
    var count = 0
    while !box.isDone, count < 10 {
      try? await Task.sleep(for: .seconds(1))  // warning: maybe-sleep-ignores-cancellation
      count += 1
    }
  }

  func pollsUntilCancelled() async throws {
    while !box.isDone, !Task.isCancelled { try? await Task.sleep(for: .seconds(1)) }
    while !box.isDone { try await Task.sleep(for: .seconds(1)) }
    while !box.isDone {
      try? await Task.sleep(for: .seconds(1))
      try await sdk.run()
    }
    try? await Task.sleep(for: .seconds(1))
    for await _ in endless() { try? await Task.sleep(for: .seconds(1)) }
  }

  func endless() -> AsyncStream<Int> { AsyncStream { _ in } }

  func numbers() -> AsyncStream<Int> {
    AsyncStream { continuation in
      Task {  // warning: maybe-stream-task-not-cancelled
        try await sdk.run()
        continuation.finish()
      }
    }
  }

  func numbersWithoutEnd() -> AsyncStream<Int> {
    AsyncStream { continuation in
      Task {  // warning: stream-task-not-cancelled
        while !box.isDone { try await sdk.run() }
        continuation.finish()
      }
    }
  }

  func numbersUntilStopped() -> AsyncStream<Int> {
    AsyncStream { continuation in
      let task = Task {
        try await sdk.run()
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  func numbersAtOnce() -> AsyncStream<Int> {
    AsyncStream { continuation in
      Task {
        continuation.yield(1)
        continuation.finish()
      }
    }
  }

  func numbersOneByOne() -> AsyncStream<Int> {
    AsyncStream {
      1
    } onCancel: {
      Task { try await self.sdk.run() }
    }
  }
}
