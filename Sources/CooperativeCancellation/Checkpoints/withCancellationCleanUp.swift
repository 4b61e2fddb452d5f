/// Runs `body`, and `cleanUp` if a cancel ended it.
///
/// Declares the clean-up once for all checkpoints, bridges and other throwing waits inside:
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
/// Returns what `body` returns; then `cleanUp` does not run, even if a cancel came after the last
/// checkpoint. Throws what `body` throws. `cleanUp` runs exactly once, before that, if the error is a
/// `CancellationError` or the task is cancelled by then (an SDK that is told to stop may report an error of
/// its own). If `cleanUp` throws, its error is thrown instead.
///
/// ## Cancellation
///
/// `cleanUp` may await as if nothing had happened: it runs in an unstructured task, which neither this
/// cancel nor a second one reaches. (Swift 6.4 has cancellation shields for that.) Without an actor, a task
/// executor that the current task prefers is not that task's: no safe code can ask for it. Name it in the
/// clean-up, `await withTaskExecutorPreference(executor) { … }`.
///
/// - Parameters:
///   - isolation: The actor on which both closures run; the caller's.
///   - body: The work. Runs at once, on the caller's actor.
///   - cleanUp: Runs to its end before this function throws, on the caller's actor.
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

/// Runs `body`, and `cleanUp` if a cancel ended it: for synchronous functions.
///
/// In an asynchronous one, `withCancellationCleanUp` is always the form that is awaited, whatever its closures do:
/// its clean-up runs as if nothing had been cancelled. Here it runs in the cancelled task, so `Task.isCancelled` is
/// `true` in it, and a checkpoint in it throws.
///
/// Returns what `body` returns; then `cleanUp` does not run. Throws what `body` throws. `cleanUp` runs
/// exactly once, before that, if the error is a `CancellationError` or the task is cancelled by then. If
/// `cleanUp` throws, its error is thrown instead.
///
/// - Parameters:
///   - body: The work. Runs at once, in place.
///   - cleanUp: Runs in place, before this function throws.
// Disfavored, so that two closures that do not await do not pick it where the other form can be awaited.
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

/// Runs `body` on the current actor, in a task that is not cancelled with the current one, and waits for it.
func withoutCancellation(
  isolation: isolated (any Actor)? = #isolation,
  _ body: @escaping () async throws -> Void
) async throws {
  try await Task {
    _ = isolation  // Captured, so that the task runs on that actor.
    try await body()
  }.value
}
