// SDKs that cannot fail, in waits that can be cancelled.
//
// Disfavored, all of them: an error is a value too, and `(Bool, NSError?)` are two.

/// Calls an SDK that cannot fail and waits for its value; a cancelled task stops waiting at once, and the
/// SDK is told.
///
/// ```swift
/// let size = try await withAsyncThrowingValue { sdk.measureCache($0) }
/// ```
///
/// Returns the value that the SDK reports. Throws `CancellationError` if the task is cancelled,
/// ``TimeoutError`` if the call times out, ``DroppedCompletionError`` if the SDK releases `completion`
/// without calling it, and what `operation` throws. Fits `Result<Value, Never>` as well.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
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
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer(.success($0)) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that cannot fail and waits for its two values; a cancelled task stops waiting at once, and
/// the SDK is told.
///
/// Returns the two values. Otherwise everything is as for the completion that takes one.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
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
///   - discard: Closes or frees values that nobody receives. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<
  First: Sendable,
  Second: Sendable,
  Request
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First, Second) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First, Second) -> Void)? = nil
) async throws -> (First, Second) {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer(.success(($0, $1))) } },
    onCancel: cancel,
    onDiscard: all(to: discard)
  )
}

/// Calls an SDK that cannot fail and waits for its three values; a cancelled task stops waiting at once, and
/// the SDK is told.
///
/// Returns the three values. Otherwise everything is as for the completion that takes one.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
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
///   - discard: Closes or frees values that nobody receives. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  Request
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First, Second, Third) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First, Second, Third) -> Void)? = nil
) async throws -> (First, Second, Third) {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer(.success(($0, $1, $2))) } },
    onCancel: cancel,
    onDiscard: all(to: discard)
  )
}

/// Calls an SDK that reports nothing but that it is done, and waits for that; a cancelled task stops
/// waiting at once, and the SDK is told.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.flush($0) }
/// ```
///
/// Returns when the SDK is done. Otherwise everything is as for the completion that takes a value.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
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
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable () -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer(.success(())) } },
    onCancel: cancel,
    onDiscard: nil
  )
}
