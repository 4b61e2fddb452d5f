/// Calls an SDK that reports an error or `nil`, and returns a `Result` with your error type.
///
/// ```swift
/// func save(_ document: Document) async -> Result<Void, ServiceError> {
///   await withAsyncResult(mapError: ServiceError.init) { sdk.save(document, completion: $0) }
/// }
/// ```
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
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncResult<Failure: Error, Request>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable ((any Error)?) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Result<Void, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel
      ) as Void
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports a `Result` with any error, and returns a `Result` with your error type.
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
  in operation: (_ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) throws ->
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

/// Calls an SDK that reports a `Result` with its own error type, and returns a `Result` with yours.
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
// The last parameter ranks this overload, as for `withAsyncThrowingValue`: if the SDK has your error type, the
// compiler prefers the overload for that.
@_disfavoredOverload
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Reported: Error,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Reported>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil,
  _ rank: Void = ()
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

/// Calls an SDK that takes a success and a failure closure, and returns a `Result` with your error type.
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
///   - operation: Calls the SDK with the closures and returns its request, if any. Runs on the caller's actor.
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
  in operation: (
    _ success: @escaping @Sendable (Value) -> Void,
    _ failure: @escaping @Sendable ((any Error)?) -> Void
  ) throws -> Request,
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

/// Calls an SDK that takes a success closure without a value and a failure closure, and returns a `Result`
/// with your error type.
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
///   - operation: Calls the SDK with the closures and returns its request, if any. Runs on the caller's actor.
///   - cancel: Cancels the request that `operation` returned. Runs on the caller's actor, at most once.
@inlinable
@inline(__always)
nonisolated(nonsending) public func withAsyncResult<Failure: Error, Request>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable () -> Void,
    _ failure: @escaping @Sendable ((any Error)?) -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Result<Void, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel
      ) as Void
    )
  } catch {
    return .failure(map(error))
  }
}
