// What looks like the mistakes in `Wrong.swift`, and is right, or cannot be told.

final class Right: Sendable {
  let sdk = SDK()
  let box = Box()

  func waits(_ other: SDK?) async throws {
    await withCheckedContinuation { continuation in
      let request = other?.fetchStatus { _ in continuation.resume() }
      if request == nil { continuation.resume() }
    }
    try await withCheckedThrowingContinuation { continuation in
      sdk.load { _, error in
        if error == nil { continuation.resume() }
        if let error { continuation.resume(throwing: error) }
      }
    }
    await withCheckedContinuation { continuation in
      sdk.load { [weak self] _, _ in
        guard let self else { return }
        box.isDone = false
        continuation.resume()
      }
    }
    try await withCheckedThrowingContinuation { continuation in
      sdk.fetchStatus { result in
        guard !self.box.isDone else { return }
        self.box.isDone = true
        continuation.resume(with: result)
      }
    }
    try await withCheckedThrowingContinuation { continuation in
      if box.table[1] == nil { box.table[1] = [] }
      box.table[1]?.append(continuation)
    }
    await withCheckedContinuation { c in sdk.load { _, eof in if eof == nil { c.resume() } } }
    await withCheckedContinuation { c in
      sdk.visit { if $0 > 0 { sdk.retry() } else { c.resume() } }
    }
    await withCheckedContinuation { c in sdk.observe { number in if number > 3 { c.resume() } } }
    try await withCheckedThrowingContinuation { continuation in
      if box.isDone { continuation.resume() } else { box.waiting.append(continuation) }
    }
    let _: Bool = await withCheckedContinuation { continuation in
      guard !Task.isCancelled else { return continuation.resume(returning: true) }
      Task { continuation.resume(returning: Task.isCancelled) }
    }
  }

  func tested(_ other: SDK?, completion: @escaping (Int) -> Void) {
    if other != nil { other?.load { _, _ in completion(1) } } else { completion(0) }
  }

  func visiting(completion: (Int) -> Void) {
    sdk.visit { if $0 > 0 { completion($0) } }
  }

  func trying(_ number: Int?, completion: (Int) throws -> Void) rethrows {
    if let number { try completion(number) }
  }

  func fallingThrough(_ number: Int, completion: (Int) -> Void) {
    switch number {
    case 0: if box.isDone { completion(0) } else { fallthrough }
    default: completion(1)
    }
  }

  func deferred(_ number: Int?, completion: (Int) -> Void) {
    defer { completion(number ?? 0) }
    guard number != nil else { return }
  }

  func optional(_ number: Int?, completion: ((Int) -> Void)?) {
    guard let completion else { return }
    for value in [number ?? 0] where value > 0 { return completion(value) }
  }

  func notified(_ number: Int?, completion: (Int) -> Void = { _ in }) {
    if let number { completion(number) }
  }

  func local(_ number: Int?, completion: @escaping (Int) -> Void) {
    if number == nil { finish(0) } else { finish(1) }
    func finish(_ number: Int) { completion(number) }
  }

  func oneOfTwo(_ number: Int?, onError: () -> Void, completion: @escaping (Int) -> Void) {
    guard let number else { return onError() }
    completion(number)
  }

  func never(_ number: Int?, completion: @escaping (Int) -> Void) {
    if let number { completion(number) } else { precondition(false, "there is one") }
  }

  func ends(_ number: Int?, completion: @escaping (Int) -> Void) {
    if let number { completion(number) } else { restart() }
  }

  func restart() -> Never { fatalError("again") }

  func buffers() async {
    await withCheckedContinuation { continuation in
      sdk.write(1) { buffer in if buffer.isEmpty { continuation.resume() } }
    }
  }

  func steps(completion: @escaping () -> Void) {
    sdk.step { step in
      switch step {
      case .one: completion()
      case .two: print(2)
      case .three: print(3)
      }
    }
  }

  func tested(_ number: Int?, completion: @escaping (Int) -> Void) {
    guard nil != (try? sdk.start { completion(1) }) else { return completion(0) }
  }

  func kept(_ number: Int?, completion: @escaping (Int?) -> Void) {
    guard let number else { return callCompletion(for: 1) }
    completion(number)
  }

  func callCompletion(for id: Int) {}

  func stops(_ didStop: Bool, completion: @escaping (Int?) -> Void) {
    guard !didStop else { return }
    completion(1)
  }

  func answersOrNot(_ isCached: Bool, completion: @escaping (Int) -> Void) {
    sdk.load { _, _ in completion(1) }
    if isCached { return completion(0) }
  }

  func connects(_ connection: Connection) async throws {
    try await withCheckedThrowingContinuation { continuation in
      connection.stateUpdateHandler = { [weak connection] state in
        switch state {
        case .ready:
          connection?.stateUpdateHandler = nil
          continuation.resume()
        case .failed(let error):
          connection?.stateUpdateHandler = nil
          continuation.resume(throwing: error)
        case .preparing, .cancelled: break
        }
      }
    }
    try await withCheckedThrowingContinuation { continuation in
      connection.stateUpdateHandler = { state in
        switch state {
        case .ready:
          connection.cancel()
          continuation.resume()
        case .failed(let error): continuation.resume(throwing: error)
        case .preparing, .cancelled: break
        }
      }
    }
  }

  func timeout() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { self.box.waiting.append($0) }
        } onCancel: {
          for continuation in self.box.waiting { continuation.resume() }
        }
      }
      group.addTask {
        try await Task.sleep(for: .seconds(5))
        throw CancellationError()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
