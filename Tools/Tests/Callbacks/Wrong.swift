// Mistakes, each marked where the checker has to see it, beside those of the documentation's snippet.
// `Right.swift` has their counterparts.

struct Wrong: Sendable {
  let sdk = SDK()
  var other: SDK?

  func noValue() async -> String {
    await withCheckedContinuation { continuation in
      sdk.load { value, _ in
        guard let value else { return }  // warning: never-resumed
        continuation.resume(returning: value)
      }
    }
  }

  func quietCase() async -> Int {
    await Swift.withUnsafeContinuation { continuation in
      sdk.count { result in
        switch result {
        case .success(let count): continuation.resume(returning: count)
        case .failure(let error): print(error)  // warning: never-resumed
        }
      }
    }
  }

  func swallowed() async {
    await withCheckedContinuation { continuation in
      do {
        try sdk.start { continuation.resume() }
      } catch {  // warning: never-resumed
        print(error)
      }
    }
  }

  func swallowedByTask() async -> Int {
    await withCheckedContinuation { continuation in
      Task {
        let count = try await sdk.count()  // warning: never-resumed
        continuation.resume(returning: count)
      }
    }
  }

  func noSDK() async -> Int {
    await withCheckedContinuation { continuation in
      other?.count { _ in continuation.resume(returning: 1) }  // warning: never-resumed
    }
  }

  func length(of value: String?, completion: @escaping (Int) -> Void) {
    guard let value else { return }  // warning: never-called
    completion(value.count)
  }

  func first(of values: [Int], withReply reply: (Int) -> Void) {
    for value in values where value > 0 {  // warning: never-called
      if value > 3 { return reply(value) }
    }
  }

  func cached(_ cache: Int?, completion: @escaping (Int) -> Void) {
    if let cache { completion(cache) }
    sdk.count { _ in completion(0) }  // warning: resumed-twice
  }

  func timeout() async throws -> String {
    try await withThrowingTaskGroup(of: String.self) { group in  // warning: timeout-cannot-fire
      group.addTask { await self.noValue() }
      group.addTask {
        try await Task.sleep(for: .seconds(5))
        throw Failure()
      }
      defer { group.cancelAll() }
      return try await group.next() ?? ""
    }
  }

  func requestIsLate() async throws -> Int {
    let box = Box()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        box.request = sdk.count { continuation.resume(with: $0) }  // warning: cancellation-lost
      }
    } onCancel: {
      box.request?.cancel()
    }
  }

  func silenced(_ value: Int?, completion: (Int) -> Void) {
    // check-continuations:disable never-called: the caller asks only if there is one
    if let value { completion(value) }
  }

  func notSilenced(_ value: Int?, completion: (Int) -> Void) {
    // check-continuations:disable never-called
    if let value { completion(value) }  // warning: never-called
  }
}
