// Two statements, and the request is not returned.

import CooperativeCancellation

func user(_ sdk: SDK) async throws -> User {
  try await withAsyncThrowingValue { completion in
    print("loading")
    sdk.load(completion)
  } onCancel: { request in
    request.cancel()
  }
}
