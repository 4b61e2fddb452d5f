// A throwing bridge without try.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  await withAsyncThrowingValue { sdk.load($0) }
}
