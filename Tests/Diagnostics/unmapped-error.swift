// A bridge that throws anything, in a function that throws one type of error.

import CooperativeCancellation

enum ServiceError: Error { case failed }

func user(_ sdk: SDK) async throws(ServiceError) -> User {
  try await withAsyncThrowingValue { sdk.load($0) }
}
