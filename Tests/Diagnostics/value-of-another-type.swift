// A function that returns something else than the SDK reports.

import CooperativeCancellation

func size(_ sdk: SDK) async throws -> String {
  try await withAsyncThrowingValue { sdk.size($0) }
}
