// SDKs that cannot fail, in waits that can be cancelled.
//
// Both overloads are disfavored, because an error also matches `Value`.

/// Calls an SDK that cannot fail, and waits for its value. A cancelled task stops waiting at once.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.measure($0) }
/// ```
///
/// Returns the value, plain or of a `Result<Value, Never>`, throws no error of the SDK, and is
/// otherwise as
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
@_disfavoredOverload
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(returning: $0) } },
    onCancel: cancel,
    onDiscard: Discarding.every(to: discard)
  )
}

/// Calls an SDK that cannot fail and has no value, and waits until it is done. A cancelled task
/// stops waiting at once.
///
/// ```swift
/// try await withAsyncThrowingValue(timeout: .seconds(5)) { sdk.flush($0) }
/// ```
///
/// Its errors are those of the overload with one value. See <doc:Contract>.
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
@_disfavoredOverload
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable () -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume() } },
    onCancel: cancel,
    onDiscard: nil
  )
}
