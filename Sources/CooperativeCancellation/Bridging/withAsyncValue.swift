/// Calls an SDK that cannot fail, and **ignores cancellation**: waits for its value, even if the
/// task is cancelled.
///
/// ```swift
/// await withAsyncValue(whenCancelled: .ignoreCancellation) { sdk.measure($0) }
/// ```
///
/// The SDK is called even in a cancelled task, and is not told of a cancellation. The first
/// argument may be left out; it says so where the call is read. With `fallback:`, this function can
/// be cancelled.
///
/// - Important: If the SDK releases `completion` without calling it, ``RuntimeIssue/handler`` is
///   told, and **the wait never ends**. `withAsyncThrowingValue`, and this function with
///   `fallback:`, end at once.
///
/// - Parameters:
///   - response: That a cancellation is ignored.
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
///   - operation: Calls the SDK with `completion`. Runs on the caller's actor. What it returns is
///     kept until the SDK answers.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread.
// Disfavored, because a `Result` also matches `Value`.
@_disfavoredOverload
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncValue<Value: Sendable, Request>(
  whenCancelled response: IgnoredCancellation = .ignoreCancellation,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) -> Request,
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Value {
  await unconditionalWait(
    CallSite(fileID: fileID, line: line),
    in: { continuation in operation { continuation.resume(returning: $0) } },
    onDiscard: Discarding.every(to: discard)
  )
}

/// Calls an SDK that reports a `Result` without an error, and waits for its value, even if the task
/// is cancelled.
///
/// The rest is the same as for a plain value, but a wait for `Void` ends if the SDK drops
/// `completion`.
///
/// - Parameters:
///   - response: That a cancellation is ignored.
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
///   - operation: Calls the SDK with `completion`. Runs on the caller's actor. What it returns is
///     kept until the SDK answers.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncValue<Value: Sendable, Request>(
  whenCancelled response: IgnoredCancellation = .ignoreCancellation,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Never>) -> Void) -> Request,
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Value {
  await unconditionalWait(
    CallSite(fileID: fileID, line: line),
    in: { continuation in operation { continuation.resume(with: $0) } },
    onDiscard: Discarding.every(to: discard)
  )
}

/// Calls an SDK that cannot fail and has no value, and waits until it is done, even if the task is
/// cancelled.
///
/// ```swift
/// await withAsyncValue { sdk.flush($0) }
/// ```
///
/// A dropped completion ends the wait, and is reported to ``RuntimeIssue/handler``. The rest is as
/// with a value.
///
/// - Parameters:
///   - response: That a cancellation is ignored.
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
///   - operation: Calls the SDK with `completion`. Runs on the caller's actor. What it returns is
///     kept until the SDK answers.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncValue<Request>(
  whenCancelled response: IgnoredCancellation = .ignoreCancellation,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable () -> Void) -> Request
) async {
  await unconditionalWait(
    CallSite(fileID: fileID, line: line),
    in: { continuation in operation { continuation.resume() } },
    onDiscard: nil
  )
}

/// What `withAsyncValue` without `fallback:` does when the task is cancelled.
public enum IgnoredCancellation: Sendable {
  /// Calls the SDK and waits for it all the same, as with
  /// ``CancellationResponse/ignoreCancellation``.
  case ignoreCancellation
}
