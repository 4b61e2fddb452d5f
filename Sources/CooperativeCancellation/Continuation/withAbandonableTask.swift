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
/// For functions that ignore cancellation, or that take long to respond. `operation` runs in its own task, with the
/// caller's priority and task-local values. When the wait is cancelled or times out, that task is cancelled, and **not
/// waited for**: it may still run after this function has thrown. A value that it returns then goes to `onDiscard`.
///
/// A task group with a sleep, and the `withDeadline` of SE-0526, wait for their body to end. This function does not.
///
/// Returns what `operation` returns. Throws its error, `CancellationError`, or ``TimeoutError``.
///
/// - Parameters:
///   - timeout: How long to wait; `nil` means no limit.
///   - fileID: The file to name in errors.
///   - line: The line to name in errors.
///   - operation: The work. Runs on the actor to which the closure belongs, as in `Task { … }`. It does not run if its
///     task is cancelled before it begins.
///   - discard: Closes or frees a value that is not returned. Runs where `operation` ended.
@inlinable
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

  @inlinable
  init(run: @escaping @isolated(any) () async throws -> sending Value) {
    self.run = run
  }
}
