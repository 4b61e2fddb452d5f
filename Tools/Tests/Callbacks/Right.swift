// What looks like the mistakes in `Wrong.swift`, and is right, or cannot be told.

final class Right: Sendable {
  let sdk = SDK()
  let box = Box()

  func noValue() async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      sdk.load { value, error in
        guard let value else { return continuation.resume(throwing: error ?? Failure()) }
        continuation.resume(returning: value)
      }
    }
  }

  func oneOfTwo() async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      sdk.load { value, error in
        if let error { continuation.resume(throwing: error) }
        if error == nil { continuation.resume(returning: value ?? "") }
      }
    }
  }

  func weakly() async -> String {
    await withCheckedContinuation { continuation in
      sdk.load { [weak self] value, _ in
        guard let self else { return }
        continuation.resume(returning: value ?? "\(box.isDone)")
      }
    }
  }

  func onlyOnce() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      sdk.count { result in
        guard !self.box.isDone else { return }
        self.box.isDone = true
        continuation.resume(with: result)
      }
    }
  }

  func again() async -> Int {
    await withCheckedContinuation { continuation in
      sdk.observe { value in
        if value > 3 { continuation.resume(returning: value) }
      }
    }
  }

  func stored() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      if box.isDone { continuation.resume(returning: 1) } else { box.waiting.append(continuation) }
    }
  }

  func swallowed() async {
    await withCheckedContinuation { continuation in
      do {
        try sdk.start { continuation.resume() }
      } catch {
        continuation.resume()
      }
    }
  }

  func deferred(_ value: Int?, completion: (Int) -> Void) {
    defer { completion(value ?? 0) }
    guard let value else { return }
    print(value)
  }

  func optional(_ value: Int?, completion: ((Int) -> Void)?) {
    guard let completion else { return }
    completion(value ?? 0)
  }

  func observe(_ value: Int?, completion: (Int) -> Void) {
    if let value { completion(value) }
  }

  func checkInTask() async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
      Task { continuation.resume(returning: Task.isCancelled ? 0 : 1) }
    }
  }

  func timeout() async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask { try await self.requestInTime() }
      group.addTask {
        try await Task.sleep(for: .seconds(5))
        throw Failure()
      }
      defer { group.cancelAll() }
      return try await group.next() ?? 0
    }
  }

  func requestInTime() async throws -> Int {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        box.request = sdk.count { continuation.resume(with: $0) }
        if Task.isCancelled { box.request?.cancel() }
      }
    } onCancel: {
      box.request?.cancel()
    }
  }
}
