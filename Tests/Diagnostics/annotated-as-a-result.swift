// An annotation as the SDK's Result, which is not what a bridge returns.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> Result<User, any Error> {
  try await withAsyncThrowingValue { sdk.load($0) }
}
