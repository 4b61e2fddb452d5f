import FakeCallbackSDK

/// What the app wants from the SDK. Written twice: by hand, and with the library.
protocol AccountService: AnyObject {
  func user(id: String) async throws -> User
  func search(_ name: String) async throws -> [User]
  func uploadAvatar(_ bytes: [UInt8]) async throws -> Int
  func rename(to name: String) async throws
}

struct RenameFailed: Error {}
