// An overloaded method of the SDK.

import CooperativeCancellation

func both(_ sdk: OverloadedSDK) async throws -> User {
  try await withAsyncThrowingValue { sdk.load(completion: $0) }
}

final class OverloadedSDK {
  func load(completion: @escaping @Sendable (User?, (any Error)?) -> Void) {}
  func load(completion: @escaping @Sendable (Result<User, any Error>) -> Void) {}
}
