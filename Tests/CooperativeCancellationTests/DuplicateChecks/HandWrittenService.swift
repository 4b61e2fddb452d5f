import FakeCallbackSDK

/// As people write it today: a check before the call and another in the callback, where it cannot
/// fire.
final class HandWrittenService: AccountService {
  private let sdk: FakeSDK

  init(sdk: FakeSDK) { self.sdk = sdk }

  func user(id: String) async throws -> User {
    try await withCheckedThrowingContinuation { continuation in
      guard !Task.isCancelled else {
        continuation.resume(throwing: CancellationError())
        return
      }
      sdk.loadUser(id: id) { result in
        guard !Task.isCancelled else {
          continuation.resume(throwing: CancellationError())
          return
        }
        continuation.resume(with: result)
      }
    }
  }

  func search(_ name: String) async throws -> [User] {
    try await withCheckedThrowingContinuation { continuation in
      guard !Task.isCancelled else {
        continuation.resume(throwing: CancellationError())
        return
      }
      sdk.searchUsers(matching: name) { result in
        guard !Task.isCancelled else {
          continuation.resume(throwing: CancellationError())
          return
        }
        continuation.resume(with: result)
      }
    }
  }

  func uploadAvatar(_ bytes: [UInt8]) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      guard !Task.isCancelled else {
        continuation.resume(throwing: CancellationError())
        return
      }
      sdk.uploadAvatar(bytes) { result in
        guard !Task.isCancelled else {
          continuation.resume(throwing: CancellationError())
          return
        }
        continuation.resume(with: result)
      }
    }
  }

  func rename(to name: String) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      guard !Task.isCancelled else {
        continuation.resume(throwing: CancellationError())
        return
      }
      let delegate = CallDelegate { result in
        guard !Task.isCancelled else {
          continuation.resume(throwing: CancellationError())
          return
        }
        continuation.resume(with: result.map { _ in }.mapError { _ in RenameFailed() })
      }
      sdk.rename(to: name, delegate: delegate)
    }
  }
}
