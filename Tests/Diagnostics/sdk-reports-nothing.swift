// An SDK that reports nothing, in the throwing bridge.

import CooperativeCancellation

func flush(_ sdk: SDK) async throws {
  try await withAsyncThrowingValue { sdk.flush($0) }
}
