/// Tells any thread whether the waiting task is cancelled, for SDKs that ask whether to go on.
///
/// `Task.isCancelled` cannot: on the SDK's thread there is no task, and there it is always `false`. See
/// ``withCancellationFlag(_:)``.
public final class CancellationFlag: Sendable {
  @usableFromInline let flag = Flag()

  /// A flag that is not set, for a use without a task of its own.
  public init() {}

  /// Whether the task was cancelled, or ``cancel()`` was called. Never becomes `false` again.
  @inlinable
  public var isCancelled: Bool { flag.isRaised }

  /// Sets the flag, though the task is not cancelled: for `onCancel`, which also runs when the time is up.
  @inlinable
  public func cancel() {
    flag.raise()
  }
}

/// Runs `body` with a flag that says, on any thread, whether the current task is cancelled.
///
/// ```swift
/// try await withCancellationFlag { flag in
///   try await withAsyncThrowingValue(timeout: .seconds(60)) { completion in
///     sdk.export(shouldContinue: { @Sendable in !flag.isCancelled }, completion: completion)
///   } onCancel: {
///     flag.cancel()
///   }
/// }
/// ```
///
/// Returns what `body` returns, and throws what it throws.
///
/// ## Cancellation
///
/// The flag is set as soon as the task is cancelled, on the thread that cancels it, and before `body` runs
/// if the task is cancelled already. It is not set by a timeout, unless `onCancel` sets it as above.
///
/// - Parameter body: Runs on the caller's actor. It receives the flag, which may outlive it.
@inlinable
nonisolated(nonsending) public func withCancellationFlag<Result>(
  _ body: nonisolated(nonsending) (_ flag: CancellationFlag) async throws -> Result
) async rethrows -> Result {
  let flag = CancellationFlag()
  return try await withTaskCancellationHandler {
    try await body(flag)
  } onCancel: {
    flag.cancel()
  }
}
