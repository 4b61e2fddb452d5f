// An id for an SDK that takes one call at a time.

import PendingAnswers

func size(_ sdk: SDK, _ calls: PendingCall<Int>) async throws -> Int {
  try await calls.value(for: 1) { sdk.size { calls.resume(returning: $0) } }
}
