/// The helper that circulates, as it is copied from project to project.
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
