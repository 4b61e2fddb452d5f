/// Calls an SDK that reports a `Result` with your error type, and returns a `Result` with that type.
///
/// ```swift
/// func user(id: String) async -> Result<User, ServiceError> {
///   await withAsyncResult(mapError: ServiceError.init) { sdk.loadUser(id, completion: $0) }
/// }
/// ```
///
/// In a function that declares `throws(ServiceError)`, add `.get()`:
///
/// ```swift
/// func user(id: String) async throws(ServiceError) -> User {
///   try await withAsyncResult(mapError: ServiceError.init) { sdk.loadUser(id, completion: $0) }
///     .get()
/// }
/// ```
///
/// Returns the SDK's value or error unchanged. `map` converts the errors of the library: `CancellationError`,
/// ``TimeoutError`` and ``DroppedCompletionError``. For an SDK with another error type, pass a closure that
/// converts it: `{ @Sendable in completion($0.mapError(ServiceError.init)) }`. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - map: Converts the library's errors. Runs on the caller's actor, at most once.
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
@_disfavoredOverload
@inlinable
@inline(__always)
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
/// The rest is the same as in the overload for a `Result` with your error type. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - map: Converts the library's errors. Runs on the caller's actor, at most once.
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
///   - rank: Do not pass it: it ranks this overload behind others that match.
///   - lowest: Do not pass it either.
// Ranked last, because a `Result` also matches `Value`.
@_disfavoredOverload
@inlinable
@inline(__always)
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

/// Calls an SDK that cannot fail and has no value, and returns a `Result` with your error type.
///
/// The rest is the same as in the overload for a `Result` with your error type. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - map: Converts the library's errors. Runs on the caller's actor, at most once.
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
@_disfavoredOverload
@inlinable
@inline(__always)
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
