// An SDK that reports four values and an error.

import CooperativeCancellation

func address(_ sdk: SDK) async throws -> User {
  let (_, _, _, user) = try await withAsyncThrowingValue { sdk.address($0) }
  return user
}
