// An onCancel of one call that has a result, after two statements.

import CooperativeCancellation

extension Request {
  func stop() -> Bool { true }
}

func user(_ sdk: SDK, _ request: Request) async throws -> User {
  try await withAsyncThrowingValue { completion in
    sdk.find(completion)
    return request
  } onCancel: {
    $0.stop()
  }
}
