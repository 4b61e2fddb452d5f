/// Calls an SDK that reports a `Result` to a completion handler, and waits for the result.
///
/// ```swift
/// func thumbnail(of name: String) async throws -> Data {
///   try await withAsyncThrowingValue { completion in
///     sdk.thumbnail(of: name, completion: completion)
///   } onCancel: { request in
///     request.cancel()
///   }
/// }
/// ```
///
/// When the task is cancelled, the wait ends at once and `onCancel` stops the SDK;
/// ``CancellationResponse`` lists other ways. `completion` must be called once, on any thread. What
/// `operation` returns is kept until the wait ends. With an `onCancel` that takes no parameter, that
/// is nothing, so a request that must be kept needs one.
///
/// If the task is cancelled just after the SDK has succeeded, before it has the value, `onCancel`
/// runs, too. So it must be harmless for a finished call, and undo a success that outlasts the
/// call: disconnect, stop, unlock.
///
/// Returns the SDK's value. Throws the SDK's error, that of `operation`, `CancellationError`,
/// ``TimeoutError``, or, if the SDK releases `completion` without calling it,
/// ``DroppedCompletionError``.
///
/// See <doc:Contract> for the guarantees, <doc:Choosing> for the function that fits your completion
/// handler, <doc:Recipes> for an example of each kind of SDK, and <doc:GettingStarted> for closures
/// that need `@Sendable`.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not
///     called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the
///     caller's actor.
///   - cancel: Tells the SDK to stop, and undoes a success. Receives what `operation` returned.
///     Runs on the caller's actor, exactly once, if a cancellation or timeout ends the call, or
///     comes before an answer that is delivered.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the
///     caller's actor.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(with: $0) } },
    onCancel: cancel,
    onDiscard: Discarding.every(to: discard)
  )
}

/// Calls an SDK that reports a `Result` without a value, and waits until it is done.
///
/// Returns at `completion(.success)`. Its errors are those of the overload with a value.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not
///     called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the
///     caller's actor.
///   - cancel: Tells the SDK to stop, and undoes a success. Receives what `operation` returned.
///     Runs on the caller's actor, exactly once, if a cancellation or timeout ends the call, or
///     comes before an answer that is delivered.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation:
    (_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(with: $0) } },
    onCancel: cancel,
    onDiscard: nil
  )
}

/// Calls an SDK that reports a `Result` with its own error type, and waits for the result.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.profile(id, completion: $0) }
/// ```
///
/// The rest is as with a `Result<Value, any Error>`. The SDK's error keeps its type in the `any
/// Error`.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not
///     called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the
///     caller's actor.
///   - cancel: Tells the SDK to stop, and undoes a success. Receives what `operation` returned.
///     Runs on the caller's actor, exactly once, if a cancellation or timeout ends the call, or
///     comes before an answer that is delivered.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the
///     caller's actor.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<
  Value: Sendable,
  Failure: Error,
  Request
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(with: $0) } },
    onCancel: cancel,
    onDiscard: Discarding.every(to: discard)
  )
}
