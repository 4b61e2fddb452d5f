/// Runs an asynchronous function, and stops waiting for it when the task is cancelled or the call times out.
///
/// ```swift
/// func summary(of document: String) async throws -> String {
///   try await withAbandonableTask(timeout: .seconds(5)) {
///     await sdk.summary(of: document)
///   }
/// }
/// ```
///
/// For functions that ignore cancellation, or that take long to respond. `operation` runs in its own task, on the actor
/// to which the closure belongs, as in `Task { … }`, with the caller's priority and task-local values; if that task is
/// cancelled before it begins, not at all. When the wait is cancelled or times out, that task is cancelled, and **not
/// waited for**: it may still run after this function has thrown. A value that it returns then goes to `onDiscard`,
/// which runs where `operation` ended.
///
/// A task group with a sleep, and the `withDeadline` of SE-0526, wait for their body to end. This function does not.
///
/// Returns what `operation` returns. Throws its error, `CancellationError`, or ``TimeoutError``, which names the file
/// and the line.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func withAbandonableTask<Value>(
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext _ operation:
    sending @escaping @isolated(any) () async throws -> sending Value,
  onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
) async throws -> sending Value {
  let work = Sent(AbandonableWork(run: operation))
  return try await throwingWait(
    CallOptions(whenCancelled: .abandonCallback, timeout: timeout, fileID: fileID, line: line),
    checks: false,
    in: { (continuation: CancellableContinuation<Value, any Error>) in
      Task {
        do {
          try Task.checkCancellation()
          continuation.resume(returning: try await work.open().run())
        } catch {
          continuation.resume(throwing: error)
        }
      }
    },
    onCancel: { $0.cancel() },
    onDiscard: discard
  )
}

/// A structure, because a function type as a generic argument needs a newer runtime.
@frozen
@usableFromInline
struct AbandonableWork<Value> {
  @usableFromInline let run: @isolated(any) () async throws -> sending Value

  @_alwaysEmitIntoClient
  init(run: @escaping @isolated(any) () async throws -> sending Value) {
    self.run = run
  }
}
