import CooperativeCancellation
import FakeCallbackSDK

/// The same service with the library.
final class BridgedService: AccountService {
  private let sdk: FakeSDK

  init(sdk: FakeSDK) { self.sdk = sdk }

  func user(id: String) async throws -> User {
    try await withAsyncThrowingValue {
      sdk.loadUser(id: id, completion: $0)
    } onCancel: {
      $0.cancel()
    }
  }

  func search(_ name: String) async throws -> [User] {
    try await withAsyncThrowingValue {
      sdk.searchUsers(matching: name, completion: $0)
    } onCancel: {
      $0.cancel()
    }
  }

  func uploadAvatar(_ bytes: [UInt8]) async throws -> Int {
    try await withAsyncThrowingValue {
      sdk.uploadAvatar(bytes, completion: $0)
    } onCancel: {
      $0.cancel()
    }
  }

  func rename(to name: String) async throws {
    try await withAsyncThrowingValue { completion in
      let delegate = CallDelegate { result in
        completion(result.map { _ in }.mapError { _ in RenameFailed() })
      }
      return sdk.rename(to: name, delegate: delegate)
    } onCancel: {
      $0.cancel()
    }
  }
}
