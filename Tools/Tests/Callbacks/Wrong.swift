// Mistakes, each marked where the checker has to see it, beside those of the documentation's snippet.

func wrong(_ sdk: SDK, _ other: SDK?) async throws {
  await withCheckedContinuation { continuation in
    sdk.load { number, _ in
      guard number != nil else { return }  // warning: never-resumed
      continuation.resume()
    }
  }
  await Swift.withUnsafeContinuation { continuation in
    sdk.fetchStatus { result in
      switch result {
      case .success: continuation.resume()
      case .failure(let error): print(error)  // warning: never-resumed
      }
    }
  }
  await withCheckedContinuation { continuation in
    do {
      try sdk.start { continuation.resume() }
    } catch {}  // warning: never-resumed
  }
  await withCheckedContinuation { continuation in
    Task {
      try await sdk.run()  // warning: never-resumed
      continuation.resume()
    }
  }
  await withCheckedContinuation { continuation in
    other?.fetchStatus { _ in continuation.resume() }  // warning: never-resumed
  }
  var reason: (any Error)?
  await withCheckedContinuation { continuation in
    sdk.coordinate(error: &reason) { _ in continuation.resume() }  // warning: never-resumed
  }
  await withCheckedContinuation { c in
    sdk.export(completionHandler: { if $0 { c.resume() } })  // warning: never-resumed
  }
}

func cached(_ cache: Int?, _ sdk: SDK, completion: @escaping (Int) -> Void) {
  if let cache { completion(cache) }  // warning: resumed-twice
  sdk.load { _, _ in completion(0) }
}

func lateRequest(_ sdk: SDK, _ box: Box) async throws {
  try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      box.request = sdk.fetchStatus { continuation.resume(with: $0) }  // warning: cancellation-lost
    }
  } onCancel: {
    box.request?.cancel()
  }
}

func notSilenced(_ sdk: SDK, completion: @escaping (Int) -> Void) {
  sdk.load { number, _ in
    // check-continuations:disable never-called  // warning: useless-comment
    if let number { completion(number) }  // warning: never-called
  }
}

func someCases(_ sdk: SDK, completion: @escaping (Result<Int, any Error>) -> Void) {
  sdk.fail { failure in
    switch failure {
    case .none: completion(.success(1))
    case .denied: print("denied")  // warning: never-called
    case .failed: print("failed")
    }
  }
}

func chain(_ sdk: SDK, completion: @escaping (Int) -> Void) {
  sdk.load { number, error in
    if let error {  // warning: never-called
      print(error)
    } else if let number {
      completion(number)
    }
  }
}

func answersFirst(_ sdk: SDK, completion: @escaping (Bool) -> Void) {
  sdk.load { _, _ in completion(true) }  // warning: resumed-twice
  completion(false)
}

func proxy(_ sdk: SDK) async throws {
  try await withCheckedThrowingContinuation { (continuation: Waiting) in
    sdk.fail { _ in  // warning: resumed-twice
      continuation.resume(throwing: CancellationError())
    }
    continuation.resume()
  }
}

func connects(_ connection: Connection) async throws {
  try await withCheckedThrowingContinuation { continuation in
    connection.stateUpdateHandler = { state in
      switch state {
      case .ready: continuation.resume()  // warning: resumed-twice
      case .failed(let error): continuation.resume(throwing: error)
      case .preparing, .cancelled: break
      }
    }
  }
}

func askHandler(_ sdk: SDK, completion: @escaping (Int?) -> Void) {
  sdk.load { number, _ in
    guard let number else { return }  // warning: never-called
    completion(number)
  }
}

func convertsTheValue(_ sdk: SDK) async throws {
  try await withCheckedThrowingContinuation { (continuation: Waiting) in
    sdk.load { number, error in
      if let error {  // warning: never-resumed
        continuation.resume(throwing: error)
      } else if let number = number.map(String.init) {
        print(number)
        continuation.resume()
      }
    }
  }
}

func logsTheError(_ sdk: SDK) async {
  await withCheckedContinuation { continuation in
    sdk.load { number, error in
      if let error { print(error) }
      guard number != nil else { return }  // warning: never-resumed
      continuation.resume()
    }
  }
}

final class Behind {
  let other: SDK? = nil

  func mayBeNil() async {
    await withCheckedContinuation { [weak self] continuation in
      self?.other?.fetchStatus { _ in continuation.resume() }  // warning: never-resumed
    }
  }
}

@available(*, deprecated)
func oldOrder(_ sdk: SDK, _ box: Box) async throws {
  try await withTaskCancellationHandler {
    box.request?.cancel()
  } operation: {
    try await withCheckedThrowingContinuation { continuation in
      box.request = sdk.fetchStatus { continuation.resume(with: $0) }  // warning: cancellation-lost
    }
  }
}

func race(_ task: Task<Int, any Error>) async throws -> Int? {
  try await withThrowingTaskGroup(of: Int.self) { group in  // warning: timeout-cannot-fire
    group.addTask { try await task.value }
    group.addTask {
      try await Task.sleep(for: .seconds(5))
      throw CancellationError()
    }
    defer { group.cancelAll() }
    return try await group.next()
  }
}

func slowRace(_ sdk: SDK) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in  // warning: answer-waits-for-timeout
    group.addTask { try await sdk.run() }
    group.addTask {
      try await Task.sleep(for: .seconds(5))
      throw CancellationError()
    }
    try await group.next()
  }
}

// check-continuations:disable never-caled: a letter is missing  // warning: useless-comment
// check-continuations:disable never-called // warning: useless-comment
// check-continuations:disable never-called: nothing to silence  // warning: useless-comment
