/// Throws `CancellationError` if the current task is cancelled.
///
/// ```swift
/// for page in pages {
///   try checkpoint()
///   render(page)
/// }
/// ```
///
/// Costs what `Task.checkCancellation()` costs. Outside any task it can never throw; a debug build reports
/// that to ``MisuseReport/handler``, with the call site, and a release build does not look.
///
/// Where checkpoints belong, and where not: <doc:Checkpoints>.
///
/// - Parameters:
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
@inlinable
public func checkpoint(
  fileID: StaticString = #fileID,
  line: UInt = #line
) throws(CancellationError) {
  #if DEBUG
    reportIfOutsideTask(CallSite(fileID: fileID, line: line))
  #endif
  if Task.isCancelled { throw CancellationError() }
}

/// Cleans up and throws `CancellationError` if the current task is cancelled.
///
/// ```swift
/// try checkpoint { try? fileManager.removeItem(at: partialFile) }
/// ```
///
/// For the same clean-up at several checkpoints, declare it once: ``withCancellationCleanUp(_:cleanUp:)``.
///
/// Not to be awaited: `cleanUp` runs in the cancelled task, so `Task.isCancelled` is `true` in it. One that
/// awaits picks ``checkpoint(isolation:fileID:line:cleanUp:)``, in which it is not.
///
/// - Parameters:
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - cleanUp: Runs before the error is thrown, in place, and only if the task is cancelled. What it throws
///     is thrown instead of the `CancellationError`.
@inlinable
public func checkpoint(
  fileID: StaticString = #fileID,
  line: UInt = #line,
  cleanUp: () throws -> Void
) throws {
  do {
    try checkpoint(fileID: fileID, line: line)
  } catch {
    try cleanUp()
    throw error
  }
}

/// Cleans up asynchronously and throws `CancellationError` if the current task is cancelled.
///
/// ```swift
/// try await checkpoint { await session.close() }
/// ```
///
/// The clean-up may await as if nothing had happened: it runs in an unstructured task, which is not
/// cancelled with the current one. (Swift 6.4 has cancellation shields for that.) Without an actor, a task
/// executor that the current task prefers is not that task's: name it in the clean-up.
///
/// - Parameters:
///   - isolation: The actor on which `cleanUp` runs; the caller's.
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - cleanUp: Runs to its end before the error is thrown, on the caller's actor, and only if the task is
///     cancelled. What it throws is thrown instead of the `CancellationError`.
public func checkpoint(
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  cleanUp: @escaping () async throws -> Void
) async throws {
  do {
    try checkpoint(fileID: fileID, line: line)
  } catch {
    try await withoutCancellation(cleanUp)
    throw error
  }
}

/// Lets other tasks run, then throws `CancellationError` if the current task is cancelled.
///
/// For long computations on the cooperative pool, which has as many threads as the machine has cores: a
/// point where the task can be cancelled, and where another can have its thread. It yields first, so that
/// the check sees a cancel that came meanwhile.
///
/// ```swift
/// for block in blocks {
///   compress(block)
///   try await yieldingCheckpoint()
/// }
/// ```
///
/// If a step takes less than some ten microseconds, pace it: ``PacedCheckpoint``.
@inlinable
nonisolated(nonsending) public func yieldingCheckpoint() async throws(CancellationError) {
  await Task.yield()
  if Task.isCancelled { throw CancellationError() }
}

#if DEBUG
  @usableFromInline
  func reportIfOutsideTask(_ callSite: CallSite) {
    // Only a task has one.
    if Task.basePriority == nil { MisuseReport.send(.checkpointOutsideTask, callSite) }
  }
#endif
