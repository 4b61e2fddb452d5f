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
/// What the SDK must do, and the other parameters, are the same as for
/// ``withAsyncThrowingValue(whenCancelled:timeout:fileID:line:in:onCancel:onDiscard:)-3lf1q``.
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
/// The rest, and the parameters, are the same as in the overload for a plain value. See
/// <doc:Contract>.
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
