// What looks like the mistakes in `Wrong.swift`, and is right, or cannot be told.

final class Right: Sendable {
  let sdk = SDK()
  let box = Box()

  func waits(_ other: SDK?) async throws {
    await withCheckedContinuation { continuation in
      let request = other?.fetch { _ in continuation.resume() }
      if request == nil { continuation.resume() }
    }
    _ =
      try await withCheckedThrowingContinuation { continuation in
        sdk.load { number, error in
          guard let number else { return continuation.resume(throwing: error ?? Failure()) }
          continuation.resume(returning: number)
        }
      } as Int
    _ =
      try await withCheckedThrowingContinuation { continuation in
        sdk.load { number, error in
          if let error { continuation.resume(throwing: error) }
          if error == nil { continuation.resume(returning: number ?? 0) }
        }
      } as Int
    _ =
      await withCheckedContinuation { continuation in
        sdk.load { [weak self] number, _ in
          guard let self else { return }
          continuation.resume(returning: box.isDone ? number : nil)
        }
      } as Int?
    _ =
      try await withCheckedThrowingContinuation { continuation in
        sdk.fetch { result in
          guard !self.box.isDone else { return }
          self.box.isDone = true
          continuation.resume(with: result)
        }
      } as Int
    await withCheckedContinuation { continuation in
      sdk.observe { number in if number > 3 { continuation.resume() } }
    }
    _ =
      try await withCheckedThrowingContinuation { continuation in
        if box.isDone {
          continuation.resume(returning: 1)
        } else {
          box.waiting.append(continuation)
        }
      } as Int
    await withCheckedContinuation { continuation in
      do { try sdk.start { continuation.resume() } } catch { continuation.resume() }
    }
    _ =
      await withCheckedContinuation { continuation in
        guard !Task.isCancelled else { return continuation.resume(returning: true) }
        Task { continuation.resume(returning: Task.isCancelled) }
      } as Bool
  }

  func tested(_ other: SDK?, completion: @escaping (Int) -> Void) {
    if other != nil { other?.load { _, _ in completion(1) } } else { completion(0) }
  }

  func fallingThrough(_ number: Int, completion: (Int) -> Void) {
    switch number {
    case 0: if box.isDone { completion(0) } else { fallthrough }
    default: completion(1)
    }
  }

  func deferred(_ number: Int?, completion: (Int) -> Void) {
    defer { completion(number ?? 0) }
    guard let number else { return }
    print(number)
  }

  func optional(_ number: Int?, completion: ((Int) -> Void)?) {
    guard let completion else { return }
    completion(number ?? 0)
  }

  func observe(_ number: Int?, completion: (Int) -> Void) {
    if let number { completion(number) }
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
        box.request = sdk.fetch { continuation.resume(with: $0) }
        if Task.isCancelled { box.request?.cancel() }
      }
    } onCancel: {
      box.request?.cancel()
    }
  }
}
