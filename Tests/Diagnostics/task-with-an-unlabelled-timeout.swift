// A time limit without its label, of a task.

import CooperativeCancellation

func user(_ load: @Sendable @escaping () async throws -> User) async throws -> User {
  try await withAbandonableTask(.seconds(5)) { try await load() }
}
