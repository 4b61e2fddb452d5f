// What a cancellation does, without its label.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  try await withAsyncThrowingValue(.waitForCallback) { sdk.load($0) }
}
