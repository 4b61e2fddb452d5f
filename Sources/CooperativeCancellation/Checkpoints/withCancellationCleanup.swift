/// Runs `body`, and runs `cleanup` if a cancellation ended it.
///
/// One cleanup serves all checkpoints, bridges and other throwing waits in `body`:
///
/// ```swift
/// try await withCancellationCleanup {
///   try checkpoint()
///   await step("downloaded")
///   try checkpoint()
///   await step("parsed")
///   try checkpoint()
///   await step("stored")
/// } cleanup: {
///   await self.deletePartialImport()
/// }
/// ```
///
/// Returns what `body` returns, without a cleanup. Throws what `body` throws. Before that,
/// `cleanup` runs exactly once if the error is a `CancellationError`, or if the task is cancelled:
/// an SDK may report a cancellation with its own error. An error that `cleanup` throws replaces the
/// error of `body`.
///
/// <doc:YourOwnTasks> shows what to write in a synchronous function.
///
/// ## Cancellation
///
/// `cleanup` runs in an unstructured task, which is not cancelled with the current one and inherits
/// no task executor preference: in code without an actor, write `await
/// withTaskExecutorPreference(executor) { … }` in it.
///
/// `body` runs at once, and `cleanup` before this throws, both on `isolation`, by default the
/// caller's actor.
public func withCancellationCleanup<Result: ~Copyable>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: () async throws -> Result,
  cleanup: @escaping () async throws -> Void
) async throws -> Result {
  do {
    return try await body()
  } catch {
    guard error is CancellationError || Task.isCancelled else { throw error }
    try await Task {
      _ = isolation  // Captured, so that the task runs on that actor.
      try await cleanup()
    }.value
    throw error
  }
}
