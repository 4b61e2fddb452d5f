/// Calls an SDK that cannot fail, and waits for its value. A cancelled task gets the fallback at
/// once.
///
/// ```swift
/// await withAsyncValue(fallback: 0) { sdk.measure($0) }
/// ```
///
/// Returns the SDK's value, or `fallback` where `withAsyncThrowingValue` would throw: if the task
/// is cancelled, if the call times out, or if the SDK drops `completion`, which is also reported to
/// ``RuntimeIssue/handler``.
///
/// What the SDK must do is the same as for
/// ``withAsyncThrowingValue(whenCancelled:timeout:fileID:line:in:onCancel:onDiscard:)-3lf1q``.
///
/// - Parameters:
///   - fallback: What to return if the call is cancelled or times out, or if the SDK drops
///     `completion`.
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
nonisolated(nonsending) public func withAsyncValue<Value: Sendable, Request>(
  fallback: Value,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Value {
  await fallbackWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    fallback: fallback,
    in: { continuation in operation { continuation.resume(returning: $0) } },
    onCancel: cancel,
    onDiscard: Discarding.every(to: discard)
  )
}

/// Calls an SDK that cannot fail and has no value, and waits until it is done. A cancelled task
/// stops waiting at once.
///
/// ```swift
/// await withAsyncValue(fallback: ()) { sdk.flush($0) }
/// ```
///
/// To find out afterwards whether the wait was cut short by cancellation, check `Task.isCancelled`.
/// The rest is the same as in the overload for a plain value. See <doc:Contract>.
///
/// - Parameters:
///   - fallback: What to return if the call is cancelled or times out, or if the SDK drops
///     `completion`.
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
nonisolated(nonsending) public func withAsyncValue<Request>(
  fallback: Void,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable () -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async {
  await fallbackWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    fallback: fallback,
    in: { continuation in operation { continuation.resume() } },
    onCancel: cancel,
    onDiscard: nil
  )
}
