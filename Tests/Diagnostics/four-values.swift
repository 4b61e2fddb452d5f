// An SDK that reports four values.

import CooperativeCancellation

func place(_ sdk: SDK) async throws -> (Int, Int, String, User) {
  try await withAsyncThrowingValue { sdk.place($0) }
}
