/// Throws `CancellationError` if the current task is cancelled.
///
/// ```swift
/// for page in pages {
///   try checkpoint()
///   render(page)
/// }
/// ```
///
/// Costs the same as `Task.checkCancellation()`. Outside a task it never throws; a debug build reports that to
/// ``MisuseReport/handler``.
///
/// <doc:Checkpoints> explains where checkpoints belong.
///
/// - Parameters:
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
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
/// To share a clean-up between several checkpoints, use ``withCancellationCleanUp(_:cleanUp:)``.
///
/// `cleanUp` runs in the cancelled task, so `Task.isCancelled` is `true` in it. A clean-up that awaits selects
/// ``checkpoint(isolation:fileID:line:cleanUp:)``, in which it is `false`.
///
/// - Parameters:
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
///   - cleanUp: Runs in place if the task is cancelled, before the error is thrown. An error that it throws
///     replaces the `CancellationError`.
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
/// The clean-up runs in an unstructured task, which is not cancelled with the current one. This task does not
/// inherit a task executor preference: see ``withCancellationCleanUp(isolation:_:cleanUp:)``.
///
/// - Parameters:
///   - isolation: The actor on which `cleanUp` runs; by default the caller's.
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
///   - cleanUp: Runs on the caller's actor if the task is cancelled, and completes before the error is thrown. An
///     error that it throws replaces the `CancellationError`.
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
/// For long computations on the cooperative pool, which has one thread for each core. It yields before it checks, so
/// that it notices a cancellation that arrives in between.
///
/// ```swift
/// for block in blocks {
///   compress(block)
///   try await yieldingCheckpoint()
/// }
/// ```
///
/// If a step takes less than about ten microseconds, use a ``PacedCheckpoint``.
@inlinable
nonisolated(nonsending) public func yieldingCheckpoint() async throws(CancellationError) {
  await Task.yield()
  if Task.isCancelled { throw CancellationError() }
}

#if DEBUG
  @usableFromInline
  func reportIfOutsideTask(_ callSite: CallSite) {
    // Only a task has a base priority.
    if Task.basePriority == nil { MisuseReport.send(.checkpointOutsideTask, callSite) }
  }
#endif
