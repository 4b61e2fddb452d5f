// A value that is not Sendable, from an SDK that does not hand it over.

import CooperativeCancellation

func document(_ sdk: SDK) async throws -> Document {
  try await withAsyncThrowingValue { sdk.open($0) }
}
