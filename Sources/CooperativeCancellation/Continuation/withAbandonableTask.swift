public import CancellationInternals

/// Runs an asynchronous function, and stops waiting for it when the task is cancelled or the call
/// times out.
///
/// ```swift
/// func summary(of document: String) async throws -> String {
///   try await withAbandonableTask(timeout: .seconds(5)) {
///     await sdk.summary(of: document)
///   }
/// }
/// ```
///
/// For functions that ignore cancellation, or that take long to respond. `operation` runs in its
/// own task, on the actor to which the closure belongs, as in `Task { … }`, with the caller's
/// priority and task-local values. If the caller's priority is raised later, so is the operation's,
/// on macOS 26, iOS 26 and newer.
///
/// In a task that is already cancelled, and with a timeout of zero or less, nothing is started.
/// When the wait is cancelled or times out, the operation's task is cancelled, and **not waited
/// for**: if it has begun, it may still run after this function has thrown. A value that it returns
/// then goes to `onDiscard`, which runs where `operation` ended.
///
/// A task group with a sleep, and `withDeadline`, from Swift 6.5, wait for their body to end. This
/// function does not.
///
/// Returns what `operation` returns. Throws its error, `CancellationError`, or ``TimeoutError``
/// with the line.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func withAbandonableTask<Value>(
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  @_inheritActorContext _ operation:
    sending @escaping @isolated(any) () async throws -> sending Value,
  onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
) async throws -> sending Value {
  let options = CallOptions.options(.abandonCallback, timeout, CallSite(fileID: fileID, line: line))
  if let cause = options.causeNotToBegin() { throw options.error(for: cause) }
  let work = Sent(AbandonableWork(run: operation))
  let running = Locked(initially: nil as Task<Void, Never>?)
  return try await raising { priority in
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      running.locked { $0 }?.escalatePriority(to: priority)
    }
  } while: {
    Sent(
      try await throwingWait(
        options,
        checks: false,
        in: { (continuation: CancellableContinuation<Value, any Error>) in
          let task = Task {
            let run = work.open().run
            // Resumes, and perhaps discards the value, on the operation's actor.
            await { (_: isolated (any Actor)?) in
              do {
                try Task.checkCancellation()
                continuation.resume(returning: try await run())
              } catch {
                continuation.resume(throwing: consume error)
              }
            }(run.isolation)
          }
          running.locked { $0 = task }
          if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            // It has the priority with which this task was created.
            task.escalatePriority(to: Task.currentPriority)
          }
          return task
        },
        onCancel: { $0.cancel() },
        onDiscard: discard
      )
    )
  }.open()
}

@available(*, unavailable, message: "write 'timeout:' before the timeout")
@_alwaysEmitIntoClient
public func withAbandonableTask<Value>(
  _ timeout: Timeout,
  _ operation: () async throws -> Value
) async throws -> Value {
  throw cancellation()
}

/// Waits, and passes on to which priority this task is raised meanwhile.
@_alwaysEmitIntoClient
nonisolated(nonsending) package func raising<Result: Sendable>(
  _ raise: @escaping @Sendable (TaskPriority) -> Void,
  while wait: nonisolated(nonsending) () async throws -> Result
) async throws -> Result {
  guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
    return try await wait()
  }
  return try await withTaskPriorityEscalationHandler(operation: wait) { _, priority in
    raise(priority)
  }
}

/// A structure, because a function type as a generic argument needs a newer runtime.
@usableFromInline package struct AbandonableWork<Value> {
  @usableFromInline package let run: @isolated(any) () async throws -> sending Value

  @_alwaysEmitIntoClient
  package init(run: @escaping @isolated(any) () async throws -> sending Value) { self.run = run }
}
