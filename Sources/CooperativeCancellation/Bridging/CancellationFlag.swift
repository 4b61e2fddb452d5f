public import CancellationInternals

/// Tells any thread whether the waiting task is cancelled, for SDKs that ask whether to continue.
///
/// On the SDK's thread there is no task: `Task.isCancelled` is always `false`. See
/// ``withCancellationFlag(_:)``.
public final class CancellationFlag: Sendable {
  @usableFromInline let flag = Locked(initially: false)

  @usableFromInline package init() {}

  /// Whether the task was cancelled or ``set()`` was called. Never becomes `false` again.
  @_alwaysEmitIntoClient
  public var isCancelled: Bool { flag.locked { $0 } }

  /// Sets the flag without cancelling the task. Call it in `onCancel`, which also runs when the
  /// call times out.
  @_alwaysEmitIntoClient
  public func set() { flag.locked { $0 = true } }
}

/// Runs `body` with a flag that tells any thread whether the current task is cancelled.
///
/// ```swift
/// try await withCancellationFlag { flag in
///   try await withAsyncThrowingValue(timeout: .seconds(60)) { completion in
///     sdk.export(shouldContinue: { @Sendable in !flag.isCancelled }, completion: completion)
///   } onCancel: {
///     flag.set()
///   }
/// }
/// ```
///
/// Returns what `body` returns, and throws what it throws. `body` runs on the caller's actor; the
/// flag may outlive it.
///
/// ## Cancellation
///
/// Cancelling the task sets the flag at once, on the thread that cancels. If the task is already
/// cancelled, the flag is set before `body` runs. A timeout sets it only if `onCancel` does so, as
/// above.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func withCancellationFlag<Result>(
  _ body: nonisolated(nonsending) (_ flag: CancellationFlag) async throws -> Result
) async rethrows -> Result {
  let flag = CancellationFlag()
  return try await withTaskCancellationHandler {
    // If `body` ends between the moment at which the task is cancelled and that at which the
    // runtime calls its handlers, the handler is gone. The SDK that `body` has left behind still
    // asks the flag.
    defer { if Task.isCancelled { flag.set() } }
    return try await body(flag)
  } onCancel: {
    flag.set()
  }
}
