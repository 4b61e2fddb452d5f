// A closure with @Sendable in code that belongs to no actor, over an object that is not Sendable.

import CooperativeCancellation

nonisolated func firstSize(_ sdk: SDK) async throws -> Int {
  try await withAsyncThrowingValue { completion in
    let request = Request()
    sdk.size { @Sendable size in
      request.cancel()
      completion(.success(size))
    }
  }
}
