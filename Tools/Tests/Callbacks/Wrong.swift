// Mistakes, each marked where the checker has to see it, beside those of the documentation's snippet.

func wrong(_ sdk: SDK, _ other: SDK?) async throws {
  _ =
    await withCheckedContinuation { continuation in
      sdk.load { number, _ in
        guard let number else { return }  // warning: never-resumed
        continuation.resume(returning: number)
      }
    } as Int
  _ =
    await Swift.withUnsafeContinuation { continuation in
      sdk.fetch { result in
        switch result {
        case .success(let number): continuation.resume(returning: number)
        case .failure(let error): print(error)  // warning: never-resumed
        }
      }
    } as Int
  await withCheckedContinuation { continuation in
    do {
      try sdk.start { continuation.resume() }
    } catch {  // warning: never-resumed
      print(error)
    }
  }
  await withCheckedContinuation { continuation in
    Task {
      try await sdk.run()  // warning: never-resumed
      continuation.resume()
    }
  }
  await withCheckedContinuation { continuation in
    other?.fetch { _ in continuation.resume() }  // warning: never-resumed
  }
}

func first(of numbers: [Int], withReply reply: (Int) -> Void) {
  for number in numbers where number > 0 {  // warning: never-called
    if number > 3 { return reply(number) }
  }
}

func cached(_ cache: Int?, _ sdk: SDK, completion: @escaping (Int) -> Void) {
  if let cache { completion(cache) }
  sdk.load { _, _ in completion(0) }  // warning: resumed-twice
}

func lateRequest(_ sdk: SDK, _ box: Box) async throws -> Int {
  try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      box.request = sdk.fetch { continuation.resume(with: $0) }  // warning: cancellation-lost
    }
  } onCancel: {
    box.request?.cancel()
  }
}

func silenced(_ number: Int?, completion: (Int) -> Void) {
  // check-continuations:disable never-called: the caller asks only if there is one
  if let number { completion(number) }
}

func notSilenced(_ number: Int?, completion: (Int) -> Void) {
  // check-continuations:disable never-called
  if let number { completion(number) }  // warning: never-called
}
