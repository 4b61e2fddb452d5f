// The code of the page "Find mistakes in your callbacks". The checker reports what the comments
// say.

import CooperativeCancellation
import Synchronization

struct MissingNumber: Error {}
struct TooLate: Error {}

struct Mistakes: Sendable {
  let sdk: NumberSDK

  func neverResumed() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      sdk.load { number, error in
        guard let number else { return }  // warning: never-resumed
        continuation.resume(returning: number)
      }
    }
  }

  func half(completion: @escaping @Sendable (Int?) -> Void) {
    sdk.load { number, error in
      guard let number else { return }  // warning: never-called
      completion(number / 2)
    }
  }

  func resumedTwice() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      sdk.load { number, error in
        if let error { continuation.resume(throwing: error) }  // warning: resumed-twice
        continuation.resume(returning: number ?? 0)
      }
    }
  }

  func checkInCallback() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      sdk.fetch { result in
        guard !Task.isCancelled else {  // warning: cancellation-check-in-callback
          return continuation.resume(throwing: CancellationError())
        }
        continuation.resume(with: result)
      }
    }
  }

  func timeout() async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in  // warning: timeout-cannot-fire
      group.addTask { try await self.neverResumed() }
      group.addTask {
        try await Task.sleep(for: .seconds(5))
        throw TooLate()
      }
      defer { group.cancelAll() }
      return try await group.next() ?? 0
    }
  }

  func cancellationLost() async throws -> Int {
    let request = Mutex<NumberSDK.Request?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let started = sdk.fetch { continuation.resume(with: $0) }
        request.withLock { $0 = started }  // warning: cancellation-lost
      }
    } onCancel: {
      request.withLock { $0 }?.cancel()
    }
  }
}

extension Mistakes {
  func polls() async {
    while !sdk.isReady {
      try? await Task.sleep(for: .seconds(1))  // warning: sleep-ignores-cancellation
    }
  }

  func numbers() -> AsyncStream<Int> {
    AsyncStream { continuation in
      Task {  // warning: stream-task-not-cancelled
        while let number = await sdk.next() { continuation.yield(number) }
        continuation.finish()
      }
    }
  }
}

final class Waiter: Sendable {
  let waiting = Mutex<CheckedContinuation<Int, any Error>?>(nil)

  func number() async throws -> Int {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        if Task.isCancelled { cancel() }
      }
    } onCancel: {
      cancel()
    }
  }

  func cancel() {
    let continuation = waiting.withLock { $0.take() }
    continuation?.resume(throwing: CancellationError())
  }

  func answer(_ number: Int) {
    waiting.withLock { continuation in
      continuation?.resume(returning: number)  // warning: resumed-under-lock
      continuation = nil
    }
  }
}

struct ByHandCorrected: Sendable {
  let sdk: NumberSDK

  func number() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      sdk.load { number, error in
        if let number {
          continuation.resume(returning: number)
        } else {
          continuation.resume(throwing: error ?? MissingNumber())
        }
      }
    }
  }

  func half(completion: @escaping @Sendable (Int?) -> Void) {
    sdk.load { number, error in
      completion(number.map { $0 / 2 })
    }
  }

  func cancellable() async throws -> Int {
    let request = Mutex<NumberSDK.Request?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let started = sdk.fetch { continuation.resume(with: $0) }
        request.withLock { $0 = started }
        if Task.isCancelled { started.cancel() }
      }
    } onCancel: {
      request.withLock { $0 }?.cancel()
    }
  }
}

struct WithLibrary {
  let sdk: NumberSDK

  func number() async throws -> Int {
    try await withAsyncThrowingValue(timeout: .seconds(5)) { completion in
      sdk.load(completion)
    } onCancel: { request in
      request.cancel()
    }
  }
}

func silenced(_ sdk: NumberSDK, completion: @escaping @Sendable (Int) -> Void) {
  sdk.load { number, _ in
    // check-continuations:disable never-called: no caller waits for a missing number
    if let number { completion(number) }
  }
}

nonisolated struct NumberSDK: Sendable {
  struct Request: Sendable {
    func cancel() {}
  }

  var isReady: Bool { true }
  func next() async -> Int? { nil }

  @discardableResult
  func load(_ completion: @escaping @Sendable (Int?, (any Error)?) -> Void) -> Request {
    completion(1, nil)
    return Request()
  }

  @discardableResult
  func fetch(_ completion: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Request {
    completion(.success(1))
    return Request()
  }
}

print(try await WithLibrary(sdk: NumberSDK()).number())
