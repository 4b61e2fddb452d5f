/// Calls an SDK that reports an optional value and an optional error, and returns a `Result` with your error
/// type.
///
/// `map` converts every error that `withAsyncThrowingValue` would throw. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - map: Converts an error to your type. Runs on the caller's actor, at most once.
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
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
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Result<Value, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports a value, an error, or neither, and returns a `Result` of an optional with your
/// error type.
///
/// `map` converts every error that `withAsyncThrowingValue` would throw. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - map: Converts an error to your type. Runs on the caller's actor, at most once.
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the caller's actor.
///   - rank: Do not pass it: it ranks this overload behind others that match.
// The last parameter ranks this overload, as for `withAsyncThrowingValue`.
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
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil,
  _ rank: Void = ()
) async -> Result<Value?, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value?
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports two values and an error, and returns a `Result` with your error type.
///
/// `map` converts every error that `withAsyncThrowingValue` would throw. See <doc:Contract> for the
/// guarantees and the edge cases.
///
/// - Parameters:
///   - map: Converts an error to your type. Runs on the caller's actor, at most once.
///   - response: What happens if the call is cancelled or times out before the SDK answers.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
///   - discard: Closes or frees values that are not returned; at least one is not `nil`. Runs on the SDK's
///     thread or the caller's actor.
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncResult<
  First: Sendable,
  Second: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First?, Second?, (any Error)?) -> Void) throws
    ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First?, Second?) -> Void)? = nil
) async -> Result<(First, Second), Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as (First, Second)
    )
  } catch {
    return .failure(map(error))
  }
}
