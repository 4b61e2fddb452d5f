// A fallback for a bridge that throws.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  try await withAsyncThrowingValue(fallback: User()) { sdk.load($0) }
}
