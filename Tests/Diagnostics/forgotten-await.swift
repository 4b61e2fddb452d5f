// A bridge without await.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  try withAsyncThrowingValue { sdk.load($0) }
}
