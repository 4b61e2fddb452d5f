/// Calls an SDK that reports an optional value and an optional error, and waits for the value.
///
/// ```swift
/// func image(at url: String) async throws -> Image {
///   try await withAsyncThrowingValue { completion in
///     sdk.loadImage(at: url, completion: completion)
///   } onCancel: { request in
///     request.cancel()  // What the closure above returned.
///   }
/// }
/// ```
///
/// When the task is cancelled, the wait ends at once and `onCancel` stops the SDK.
///
/// Accepts `(Value?, (any Error)?)`, `(Value?, NSError?)` and `(Bool, (any Error)?)`.
///
/// Returns the value. Throws the error if there is one; a value beside it goes to `onDiscard`.
/// Throws ``MissingValueError`` if both are `nil`: if that means "not found", use
/// ``withAsyncThrowingValueIfPresent(whenCancelled:timeout:fileID:line:in:onCancel:onDiscard:)``.
/// The other errors are those of
/// ``withAsyncThrowingValue(whenCancelled:timeout:fileID:line:in:onCancel:onDiscard:)-3lf1q``.
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
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request: ~Copyable>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (borrowing Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  let options = CallOptions.options(response, timeout, CallSite(fileID: fileID, line: line))
  let value = try await throwingWait(
    options,
    in: { continuation in try operation { continuation.resume(returning: $0, beside: $1) } },
    onCancel: cancel,
    onDiscard: Discarding.onlyPresent(to: discard)
  )
  guard let value else { throw MissingValueError(callSite: options.callSite) }
  return value
}

/// Calls an SDK that reports two values and an error, and waits for the values.
///
/// Returns both values. Throws the error if there is one, ``MissingValueError`` if there is none
/// and a value is missing, and otherwise the same errors as the overload for a `Result`. See
/// <doc:Contract>.
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
///   - discard: Closes or frees values that are not returned, of which at least one is not `nil`.
///     Runs on the SDK's thread or the caller's actor.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<
  First: Sendable,
  Second: Sendable,
  Request
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First?, Second?, (any Error)?) -> Void) throws
    -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First?, Second?) -> Void)? = nil
) async throws -> (First, Second) {
  let options = CallOptions.options(response, timeout, CallSite(fileID: fileID, line: line))
  let values = try await throwingWait(
    options,
    in: { continuation in try operation { continuation.resume(returning: ($0, $1), beside: $2) } },
    onCancel: cancel,
    onDiscard: Discarding.onlyPresent(to: discard)
  )
  guard let first = values.0, let second = values.1 else {
    Discarding.onlyPresent(to: discard)?(values)
    throw MissingValueError(callSite: options.callSite)
  }
  return (first, second)
}

/// Calls an SDK that reports an error or `nil`, and waits until it is done.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.delete(id, completion: $0) }
/// ```
///
/// Returns when the SDK reports `nil`. Throws the error that it reports, and otherwise the same
/// errors as the overload for a `Result`. See <doc:Contract>.
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
  in operation: (_ completion: @escaping @Sendable ((any Error)?) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(returning: (), beside: $0) } },
    onCancel: cancel,
    onDiscard: nil
  )
}
