// A weak capture, which takes a closure off its actor.

import CooperativeCancellation

actor Service {
  let sdk = SDK()
  var last: Request?

  func user() async throws -> User {
    try await withAsyncThrowingValue { [weak self] completion in
      self?.last = self?.sdk.load(completion)
    }
  }
}
