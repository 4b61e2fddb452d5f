/// A sleeping task, to be woken once. Optional continuations and existentials would be slower to
/// move.
@usableFromInline package struct SleepingTask: ~Copyable, Sendable {
  @usableFromInline package let continuation: any ErasedContinuation

  @_alwaysEmitIntoClient
  package init(_ continuation: any ErasedContinuation) { self.continuation = continuation }

  @_alwaysEmitIntoClient
  package consuming func wake() { continuation.resume() }
}

@usableFromInline package protocol ErasedContinuation: Sendable {
  func resume()
}

extension CheckedContinuation<Void, Never>: ErasedContinuation {}

extension SleepingTask {
  /// Sleeps on the caller's actor. `keep` stores the continuation, or resumes it if there is
  /// something to read. `cancel` runs under the runtime's lock, so it may only change state and
  /// resume. `Wait` has its own two functions, because their frames, which each sleeping call
  /// keeps, must be smaller.
  @usableFromInline package static func sleep(
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

  /// Sleeps without an actor. The code above would also work, but a sleeping task would take more
  /// memory.
  nonisolated(nonsending) private static func sleepAnywhere(
    _ keep: (any ErasedContinuation) -> Void,
    onCancel cancel: @Sendable () -> Void
  ) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { keep($0) }
    } onCancel: {
      cancel()
    }
  }
}
