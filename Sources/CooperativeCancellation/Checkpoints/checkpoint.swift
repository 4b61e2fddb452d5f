/// Throws `CancellationError` if the current task is cancelled.
///
/// ```swift
/// for page in pages {
///   try checkpoint()
///   render(page)
/// }
/// ```
///
/// Costs the same as `Task.checkCancellation()`, and throws the same error: from Swift 6.5, with
/// its reason. Outside a task it never throws; a debug build reports that, with the file and the
/// line, to ``RuntimeIssue/handler``.
///
/// <doc:YourOwnTasks> says where checkpoints belong;
/// ``withCancellationCleanup(isolation:_:cleanup:)`` cleans up.
@_alwaysEmitIntoClient
public func checkpoint(
  fileID: StaticString = #fileID,
  line: UInt = #line
) throws(CancellationError) {
  #if DEBUG
    reportIfOutsideTask(CallSite(fileID: fileID, line: line))
  #endif
  if Task.isCancelled { throw cancellation() }
}

/// Lets other tasks run, then throws `CancellationError` if the current task is cancelled.
///
/// For long computations on the cooperative pool. It yields first, to notice a cancellation that
/// arrives meanwhile.
///
/// ```swift
/// for block in blocks {
///   compress(block)
///   try await yieldingCheckpoint()
/// }
/// ```
///
/// If a step takes less than about ten microseconds, use a ``PacedCheckpoint``.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func yieldingCheckpoint() async throws(CancellationError) {
  await Task.yield()
  try checkpoint()
}

#if DEBUG
  @usableFromInline func reportIfOutsideTask(_ callSite: CallSite) {
    // Only a task has a base priority.
    if Task.basePriority == nil { RuntimeIssue.send(.checkpointOutsideTask, callSite) }
  }
#endif
