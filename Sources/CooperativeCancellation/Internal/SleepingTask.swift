/// A sleeping task, to be woken once.
///
/// Not an optional `CheckedContinuation`, whose size is unknown outside the standard library, nor an optional
/// existential, which is moved through its type's witness table.
@frozen
@usableFromInline
package struct SleepingTask: ~Copyable, Sendable {
  @usableFromInline let continuation: any ErasedContinuation

  @_alwaysEmitIntoClient
  init(_ continuation: any ErasedContinuation) {
    self.continuation = continuation
  }

  @_alwaysEmitIntoClient
  consuming func wake() { continuation.resume() }
}

@usableFromInline
package protocol ErasedContinuation: Sendable {
  func resume()
}

extension CheckedContinuation<Void, Never>: ErasedContinuation {}

/// Sleeps until the continuation is resumed, on the caller's actor. ``Wait`` does the same with its own
/// functions: with closures, its frame would need another block.
///
/// - Parameters:
///   - keep: Keeps the continuation, or resumes it if there is something to read.
///   - cancel: Called in the runtime's cancellation handler, under the runtime's lock: only changes the state and resumes.
@usableFromInline
func sleep(
  isolation: isolated (any Actor)?,
  _ keep: (any ErasedContinuation) -> Void,
  onCancel cancel: @Sendable () -> Void
) async {
  if isolation == nil { return await sleepAnywhere(keep, onCancel: cancel) }
  await withTaskCancellationHandler {
    // Captured, so that the task does not leave the actor to sleep.
    _ = isolation
    return await withCheckedContinuation { keep($0) }
  } onCancel: {
    cancel()
  }
}

/// Sleeps without an actor. The code above would also work, but a sleeping task would take more memory.
nonisolated(nonsending) private func sleepAnywhere(
  _ keep: (any ErasedContinuation) -> Void,
  onCancel cancel: @Sendable () -> Void
) async {
  await withTaskCancellationHandler {
    await withCheckedContinuation { keep($0) }
  } onCancel: {
    cancel()
  }
}
