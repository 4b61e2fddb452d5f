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
  await withCheckedContinuation { c in
    sdk.export(completionHandler: { if $0 { c.resume() } })  // warning: never-resumed
  }
}

func cached(_ cache: Int?, _ sdk: SDK, completion: @escaping (Int) -> Void) {
  if let cache { completion(cache) }
  sdk.load { _, _ in completion(0) }  // warning: resumed-twice
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

func notSilenced(_ number: Int?, _ box: Box, completion: (Int) -> Void) {
  // check-continuations:disable never-called
  if !box.isDone { if let number { completion(number) } }  // warning: never-called
}
