// A time limit without its label.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  try await withAsyncThrowingValue(.seconds(5)) { sdk.load($0) }
}
