// An actor's state in onDiscard, which runs on the SDK's thread.

import CooperativeCancellation

actor Service {
  let sdk = SDK()
  var discarded = 0

  func user() async throws -> User {
    try await withAsyncThrowingValue {
      sdk.load($0)
    } onDiscard: { _ in
      self.discarded += 1
    }
  }
}
