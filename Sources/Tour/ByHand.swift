/// The helper that projects copy from each other.
func byHandHelper<Value: Sendable>(
  _ operation: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    guard !Task.isCancelled else {
      continuation.resume(throwing: CancellationError())
      return
    }
    operation { result in
      guard !Task.isCancelled else {  // Outside of any task: never true.
        continuation.resume(throwing: CancellationError())
        return
      }
      continuation.resume(with: result)
    }
  }
}

struct TimedOut: Error {}

/// The timeout that projects copy: a race in a task group, which waits for both tasks after one has
/// won.
func withTimeoutByHand<Value: Sendable>(
  _ timeout: Duration,
  _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await operation() }
    group.addTask {
      try await Task.sleep(for: timeout)
      throw TimedOut()
    }
    defer { group.cancelAll() }
    guard let first = try await group.next() else { throw CancellationError() }
    return first
  }
}
