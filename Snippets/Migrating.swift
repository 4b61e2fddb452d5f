// Wrappers before and after: the code of the page "Migrating".

import CooperativeCancellation
import Dispatch
import Synchronization
import TaskBags

// MARK: - A bare continuation, and a hand-written handler

struct WithContinuation {
  let sdk: PhotoSDK

  func photo(_ name: String) async throws -> Photo {
    try await withCheckedThrowingContinuation { continuation in
      sdk.loadPhoto(name) { continuation.resume(with: $0) }
    }
  }
}

struct WithHandler {
  let sdk: PhotoSDK

  func photo(_ name: String) async throws -> Photo {
    let request = Mutex<Request?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let started = sdk.loadPhoto(name) { continuation.resume(with: $0) }
        request.withLock { $0 = started }
      }
    } onCancel: {
      request.withLock { $0 }?.cancel()
    }
  }
}

struct Bridged {
  let sdk: PhotoSDK

  func photo(_ name: String) async throws -> Photo {
    try await withAsyncThrowingValue {
      sdk.loadPhoto(name, completion: $0)
    } onCancel: {
      $0.cancel()
    }
  }
}

@MainActor
func cancelled(
  _ name: String,
  _ photo: @escaping @Sendable (PhotoSDK) async throws -> Photo
) async {
  let sdk = PhotoSDK()
  let task = Task {
    withUnsafeCurrentTask { $0?.cancel() }
    return try await photo(sdk)
  }
  print("\(name), in a cancelled task: \(await task.result)")
  print("  the SDK's calls:", sdk.counts.withLock { $0 })
}

await cancelled("continuation") { try await WithContinuation(sdk: $0).photo("beach") }
await cancelled("handler") { try await WithHandler(sdk: $0).photo("beach") }
await cancelled("bridged") { try await Bridged(sdk: $0).photo("beach") }

// MARK: - A bag

struct News: Sendable {
  func headlines() async throws -> [String] { ["Hello"] }
}

@MainActor
final class Model {
  private let news = News()
  private(set) var headlines: [String] = []

  private let bag = TaskBag()

  func refresh() {
    bag.add(id: "refresh") { [weak self, news] in
      let headlines = try await news.headlines()
      self?.headlines = headlines
    }
  }
}

// MARK: - The SDK

struct Photo: Sendable { let name: String }

struct Request: Sendable {
  let sdk: PhotoSDK

  func cancel() { sdk.counts.withLock { $0.cancelled += 1 } }
}

final class PhotoSDK: Sendable {
  let counts = Mutex((started: 0, cancelled: 0))

  @discardableResult
  func loadPhoto(
    _ name: String,
    completion: @escaping @Sendable (Result<Photo, any Error>) -> Void
  ) -> Request {
    counts.withLock { $0.started += 1 }
    DispatchQueue.global().async { completion(.success(Photo(name: name))) }
    return Request(sdk: self)
  }
}
