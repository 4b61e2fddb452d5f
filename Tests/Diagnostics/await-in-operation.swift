// Asynchronous work inside operation.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  try await withAsyncThrowingValue { completion in
    await Task.yield()
    return sdk.load(completion)
  }
}
