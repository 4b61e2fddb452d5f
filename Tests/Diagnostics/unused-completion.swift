// The completion is not passed on.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  try await withAsyncThrowingValue { _ in
    sdk.load { _ in }
  }
}
