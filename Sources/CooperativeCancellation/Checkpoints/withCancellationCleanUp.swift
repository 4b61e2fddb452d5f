/// Runs `body`, and runs `cleanUp` if a cancellation ended it.
///
/// One clean-up serves all checkpoints, bridges and other throwing waits in `body`:
///
/// ```swift
/// try await withCancellationCleanUp {
///   try checkpoint()
///   await doSomething()
///   try checkpoint()
///   await doSomethingElse()
/// } cleanUp: {
///   await releaseResources()
/// }
/// ```
///
/// Returns what `body` returns, without a clean-up. Throws what `body` throws. Before that, `cleanUp` runs exactly
/// once if the error is a `CancellationError`, or if the task is cancelled: an SDK may report a cancellation with its
/// own error. An error that `cleanUp` throws replaces the error of `body`.
///
/// ## Cancellation
///
/// `cleanUp` runs in an unstructured task, which is not cancelled with the current one. This task does not inherit a
/// task executor preference: in code without an actor, write `await withTaskExecutorPreference(executor) { … }` in
/// the clean-up.
///
/// - Parameters:
///   - isolation: The actor on which both closures run; by default the caller's.
///   - body: The work. Runs at once, on the caller's actor.
///   - cleanUp: Completes before this function throws. Runs on the caller's actor.
public func withCancellationCleanUp<Result: ~Copyable>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Result,
  cleanUp: @escaping () async throws -> Void
) async throws -> Result {
  do {
    return try await body()
  } catch {
    if isCancellation(error) { try await withoutCancellation(cleanUp) }
    throw error
  }
}

/// Runs `body`, and runs `cleanUp` if a cancellation ended it, in a synchronous function.
///
/// `cleanUp` runs in the cancelled task: `Task.isCancelled` is `true` in it, and a checkpoint in it throws. An
/// asynchronous function always uses ``withCancellationCleanUp(isolation:_:cleanUp:)``.
///
/// Returns and throws the same as the asynchronous function.
///
/// - Parameters:
///   - body: The work. Runs at once, in place.
///   - cleanUp: Runs in place, before this function throws.
// Disfavored, so that an asynchronous function does not select it for two closures that do not await.
@_disfavoredOverload
public func withCancellationCleanUp<Result: ~Copyable>(
  _ body: () throws -> Result,
  cleanUp: () throws -> Void
) throws -> Result {
  do {
    return try body()
  } catch {
    if isCancellation(error) { try cleanUp() }
    throw error
  }
}

private func isCancellation(_ error: any Error) -> Bool {
  error is CancellationError || Task.isCancelled
}

/// Runs `body` on the current actor, in a task that is not cancelled with the current one, and waits for that task.
func withoutCancellation(
  isolation: isolated (any Actor)? = #isolation,
  _ body: @escaping () async throws -> Void
) async throws {
  try await Task {
    _ = isolation  // Captured, so that the task runs on that actor.
    try await body()
  }.value
}
