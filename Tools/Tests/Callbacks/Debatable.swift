// What the authors may have intended.

final class Debatable {
  weak var delegate: Box?
  var isInvalid = false

  func forwards(_ sdk: SDK, completion: @escaping (Int?) -> Void) {
    sdk.load { number, _ in
      guard number != nil else {
        self.delegate?.ask { completion(1) }  // warning: maybe-never-called
        return
      }
      completion(number)
    }
  }

  func onlySuccess(_ sdk: SDK, completion: @escaping (Int) -> Void) {
    sdk.load { number, _ in
      guard let number else {
        self.show("no number")
        return  // warning: maybe-never-called
      }
      completion(number)
    }
  }

  func silencedAsIfCertain(_ sdk: SDK, completion: @escaping (Int) -> Void) {
    sdk.load { number, _ in
      guard let number else {
        self.show("no number")
        // check-continuations:disable never-called: the message is the answer
        return
      }
      completion(number)
    }
  }

  func onlySuccessAndAFlag(_ sdk: SDK, completion: @escaping (Int) -> Void) {
    sdk.load { number, _ in
      guard let number else {
        self.isInvalid = true
        return  // warning: maybe-never-called
      }
      completion(number)
    }
  }

  func neitherValueNorError(_ sdk: SDK) async throws {
    try await withCheckedThrowingContinuation { (continuation: Waiting) in
      sdk.load { number, error in
        if let error {  // warning: maybe-never-resumed
          continuation.resume(throwing: error)
        } else if number != nil {
          continuation.resume()
        }
      }
    }
    try await withCheckedThrowingContinuation { (continuation: Waiting) in
      sdk.load { number, error in
        if let error { return continuation.resume(throwing: error) }
        guard number != nil else { return }  // warning: maybe-never-resumed
        continuation.resume()
      }
    }
    try await withCheckedThrowingContinuation { (continuation: Waiting) in
      sdk.finish { succeeded, error in
        if succeeded {
          continuation.resume()
        } else {
          if let error { continuation.resume(throwing: error) }  // warning: maybe-never-resumed
        }
      }
    }
  }

  func noPlaceForFailure(_ sdk: SDK, completion: @escaping (Int) -> Void) {
    sdk.load { number, _ in
      guard let number else {
        print("no number")
        return  // warning: never-called
      }
      completion(number)
    }
  }

  func failureHasPlace(_ sdk: SDK, completion: @escaping (Int?) -> Void) {
    sdk.load { number, _ in
      guard let number else {
        self.show("no number")
        return  // warning: never-called
      }
      completion(number)
    }
  }

  func callerMayKnow(_ number: Int?, completion: @escaping (Int?) -> Void) {
    guard let number else { return }  // warning: maybe-never-called
    completion(number)
  }

  func onlyFails(_ sdk: SDK, completion: @escaping (Result<Void, any Error>) -> Void) {
    sdk.load { _, error in
      guard error == nil else { return completion(.failure(CancellationError())) }
      self.show("done")
    }  // warning: maybe-never-called
  }

  func says(_ sdk: SDK, completion: @escaping (String?) -> Void) {
    sdk.load { number, _ in
      if number == nil { completion("no number") }  // warning: maybe-never-called
    }
  }

  func mayBeLeftOut(_ sdk: SDK, completion: ((Int) -> Void)?) {
    sdk.load { number, _ in
      if let number { completion?(number) }  // warning: maybe-never-called
    }
  }

  func publisherWithoutValue(_ publisher: Publisher) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      publisher.sink { end in  // warning: maybe-never-resumed
        if case .failure(let error) = end { continuation.resume(throwing: error) }
      } receiveValue: {
        continuation.resume(returning: $0)
      }
    }
  }

  func successWithoutValue(_ sdk: SDK, completion: @escaping (Bool) -> Void) {
    sdk.loadResult { result in
      switch result {
      case .success(let number):  // warning: maybe-never-called
        if number != nil { completion(true) }
      case .failure: completion(false)
      }
    }
  }

  func show(_ text: String) {}
}
