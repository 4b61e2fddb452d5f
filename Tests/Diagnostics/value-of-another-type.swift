// A function that returns another type than the SDK reports.

import CooperativeCancellation

func size(_ sdk: SDK) async throws -> String {
  try await withAsyncThrowingValue { sdk.size($0) }
}
