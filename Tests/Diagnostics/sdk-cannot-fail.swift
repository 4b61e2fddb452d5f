// An SDK that reports a bare value, in the throwing bridge.

import CooperativeCancellation

func size(_ sdk: SDK) async throws -> Int {
  try await withAsyncThrowingValue { sdk.size($0) }
}
