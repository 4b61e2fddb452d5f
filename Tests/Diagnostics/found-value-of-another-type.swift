// A function that returns another type than the SDK reports beside an error.

import CooperativeCancellation

func name(_ sdk: SDK) async throws -> String {
  try await withAsyncThrowingValue { sdk.find($0) }
}
