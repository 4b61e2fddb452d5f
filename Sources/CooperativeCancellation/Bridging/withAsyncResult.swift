/// Calls an SDK that reports a `Result` with your error type, and returns a `Result` with that type; a
/// cancelled task stops waiting at once, and the SDK is told.
///
/// ```swift
/// func user(id: String) async -> Result<User, ServiceError> {
///   await withAsyncResult(mapError: ServiceError.init) { sdk.loadUser(id, completion: $0) }
/// }
/// ```
///
/// A function that declares `throws(ServiceError)` adds `.get()`:
///
/// ```swift
/// func user(id: String) async throws(ServiceError) -> User {
///   try await withAsyncResult(mapError: ServiceError.init) { sdk.loadUser(id, completion: $0) }
///     .get()
/// }
/// ```
///
/// The SDK's error is returned as it is. Where `withAsyncThrowingValue` would throw an error of the
/// bridge's own, `map` makes one of your type of it. An SDK with another error type gets a closure between:
/// `{ @Sendable in completion($0.mapError(ServiceError.init)) }`.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of what the bridge itself reports: `CancellationError`,
///     ``TimeoutError``, ``DroppedCompletionError``. Runs on the
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
@_disfavoredOverload
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
  in operation: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Result<Value, Failure> {
  await resultBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    mapError: map,
    in: { reply in operation { reply.answer($0) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that cannot fail, and returns a `Result` with your error type.
///
/// Everything is as for the completion that takes a `Result` with that type.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of what the bridge itself reports: `CancellationError`,
///     ``TimeoutError``, ``DroppedCompletionError``. Runs on the
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
///   - lowest: Not to be passed either.
// Ranked last: a `Result` is a value too.
@_disfavoredOverload
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
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil,
  _ rank: Void = (),
  _ lowest: Void = ()
) async -> Result<Value, Failure> {
  await resultBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    mapError: map,
    in: { reply in operation { reply.answer(.success($0)) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that reports nothing but that it is done, and returns a `Result` with your error type.
///
/// Everything is as for the completion that takes a `Result` with that type.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of what the bridge itself reports: `CancellationError`,
///     ``TimeoutError``, ``DroppedCompletionError``. Runs on the
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
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncResult<Failure: Error, Request>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable () -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Result<Void, Failure> {
  await resultBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    mapError: map,
    in: { reply in operation { reply.answer(.success(())) } },
    onCancel: cancel,
    onDiscard: nil
  )
}
