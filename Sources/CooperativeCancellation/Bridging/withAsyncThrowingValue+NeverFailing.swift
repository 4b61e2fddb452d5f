// SDKs that cannot fail, in waits that can be cancelled.
//
// All overloads are disfavored, because an error also matches `Value`, and `(Bool, NSError?)` matches two values.

/// Calls an SDK that cannot fail, and waits for its value. A cancelled task stops waiting at once.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.measure($0) }
/// ```
///
/// Returns the SDK's value. Throws `CancellationError` if the task is cancelled, ``TimeoutError`` if the call
/// times out, ``DroppedCompletionError`` if the SDK releases `completion` without calling it, or the error
/// that `operation` throws. Also accepts a completion handler that takes a `Result<Value, Never>`. See
/// <doc:Contract> for the guarantees and the edge cases.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Tells the SDK to stop, when the task is cancelled or the call times out. Receives what `operation`
///     returned; runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
@_disfavoredOverload
@inlinable
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
    CallOptions(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { continuation in try operation { continuation.resume(returning: $0) } },
    onCancel: cancel,
    onDiscard: every(to: discard)
  )
}

/// Calls an SDK that cannot fail, and waits for its two values. A cancelled task stops waiting at once.
///
/// Returns both values. Its errors and parameters are those of the overload with one value. See <doc:Contract>.
@_disfavoredOverload
@inlinable
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
  in operation: (_ completion: @escaping @Sendable (First, Second) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First, Second) -> Void)? = nil
) async throws -> (First, Second) {
  try await throwingWait(
    CallOptions(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { continuation in try operation { continuation.resume(returning: ($0, $1)) } },
    onCancel: cancel,
    onDiscard: all(to: discard)
  )
}

/// Calls an SDK that cannot fail and has no value, and waits until it is done. A cancelled task stops waiting at once.
///
/// ```swift
/// try await withAsyncThrowingValue(timeout: .seconds(5)) { sdk.flush($0) }
/// ```
///
/// Returns when the SDK is done. Its errors and parameters are those of the overload with one value. See
/// <doc:Contract>.
@_disfavoredOverload
@inlinable
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
    CallOptions(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { continuation in try operation { continuation.resume() } },
    onCancel: cancel,
    onDiscard: nil
  )
}
