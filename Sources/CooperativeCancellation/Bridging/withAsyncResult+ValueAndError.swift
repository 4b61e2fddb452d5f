/// Calls an SDK that reports a value and an error, one of them `nil`, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
///   - response: What to do when the task is cancelled, or the call times out, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Result<Value, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports a value, an error, or neither, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
///   - response: What to do when the task is cancelled, or the call times out, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
///   - rank: Not to be passed: it ranks this form behind others that fit.
// The last parameter: as for `withAsyncThrowingValue`.
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil,
  _ rank: Void = ()
) async -> Result<Value?, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value?
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports two values and an error, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
///   - response: What to do when the task is cancelled, or the call times out, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees values that nobody receives; at least one of the two is there. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  First: Sendable,
  Second: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First?, Second?, (any Error)?) -> Void) throws
    ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First?, Second?) -> Void)? = nil
) async -> Result<(First, Second), Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as (First, Second)
    )
  } catch {
    return .failure(map(error))
  }
}
