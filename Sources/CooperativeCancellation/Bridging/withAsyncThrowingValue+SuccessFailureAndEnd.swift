/// Calls an SDK that takes closures for success, failure and the end of the call, and waits for the result.
///
/// ```swift
/// let token = try await withAsyncThrowingValue { success, failure, cancelled in
///   sdk.signIn(success: success, failure: failure, cancelled: cancelled)
/// }
/// ```
///
/// The three closures count as one completion. If the SDK calls the third one first, for example because the
/// user closed its window, the call throws `CancellationError`, although the task is not cancelled. After
/// `success` or `failure`, the third closure does nothing. It therefore also fits a closure that the SDK
/// always calls at the end ("finally", "always", "disposed").
///
/// Otherwise returns and throws the same as the overload with two closures. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with the closures and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable (Value) -> Void,
    _ failure: @escaping @Sendable ((any Error)?) -> Void,
    _ ended: @escaping @Sendable () -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in
      try operation(
        { reply.answer(.success($0)) },
        { reply.fail(with: $0) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that takes closures for success without a value, failure and the end of the call.
///
/// Throws the same errors as the overload with a value. See <doc:Contract> for the guarantees and the edge
/// cases.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with the closures and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable () -> Void,
    _ failure: @escaping @Sendable ((any Error)?) -> Void,
    _ ended: @escaping @Sendable () -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in
      try operation(
        { reply.answer(.success(())) },
        { reply.fail(with: $0) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: nil
  )
}

/// Calls an SDK that takes closures for success, failure without an error and the end of the call.
///
/// A failure throws ``MissingValueError``. The rest is the same as with an error. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with the closures and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
@_disfavoredOverload
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable (Value) -> Void,
    _ failure: @escaping @Sendable () -> Void,
    _ ended: @escaping @Sendable () -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in
      try operation(
        { reply.answer(.success($0)) },
        { reply.fail(with: nil) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that takes closures for success, failure and the end of the call, all without arguments.
///
/// A failure throws ``MissingValueError``. The rest is the same as with a value and an error. See
/// <doc:Contract> for the guarantees and the edge cases.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with the closures and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
@_disfavoredOverload
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable () -> Void,
    _ failure: @escaping @Sendable () -> Void,
    _ ended: @escaping @Sendable () -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in
      try operation(
        { reply.answer(.success(())) },
        { reply.fail(with: nil) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: nil
  )
}
