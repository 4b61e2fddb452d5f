/// Calls an SDK that cannot fail, and waits for its value. A cancelled task gets the fallback at once.
///
/// ```swift
/// await withAsyncValue(fallback: 0) { sdk.measure($0) }
/// ```
///
/// Returns the SDK's value, or `fallback` where `withAsyncThrowingValue` would throw: if the task is
/// cancelled, if the call times out, or if the SDK releases `completion` without calling it. The last case is
/// also reported to ``RuntimeIssue/handler``.
///
/// The SDK may call `completion` on any thread, and must call it exactly once. What `operation` returns is
/// kept until the wait ends. See <doc:Contract> for the guarantees and the edge cases. <doc:CrossingThreads>
/// explains when a closure needs `@Sendable`.
///
/// - Parameters:
///   - fallback: The value to return if the SDK's value is not delivered.
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Tells the SDK to stop, when the task is cancelled or the call times out. Receives what `operation`
///     returned; runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
@inlinable
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
    CallOptions(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    fallback: fallback,
    in: { continuation in operation { continuation.resume(returning: $0) } },
    onCancel: cancel,
    onDiscard: every(to: discard)
  )
}

/// Calls an SDK that cannot fail, and waits for its two values. A cancelled task gets the fallback at once.
///
/// The rest, and the parameters, are the same as in the overload for a plain value. See <doc:Contract>.
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncValue<First: Sendable, Second: Sendable, Request>(
  fallback: (First, Second),
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First, Second) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First, Second) -> Void)? = nil
) async -> (First, Second) {
  await fallbackWait(
    CallOptions(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    fallback: fallback,
    in: { continuation in operation { continuation.resume(returning: ($0, $1)) } },
    onCancel: cancel,
    onDiscard: all(to: discard)
  )
}

/// Calls an SDK that cannot fail and has no value, and waits until it is done. A cancelled task stops waiting at once.
///
/// ```swift
/// await withAsyncValue(fallback: ()) { sdk.flush($0) }
/// ```
///
/// To find out afterwards whether the wait was cut short by cancellation, check `Task.isCancelled`. The rest, and
/// the parameters, are the same as in the overload for a plain value. See <doc:Contract>.
@inlinable
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
    CallOptions(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    fallback: fallback,
    in: { continuation in operation { continuation.resume() } },
    onCancel: cancel,
    onDiscard: nil
  )
}
