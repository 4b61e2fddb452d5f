/// Calls an SDK that takes a success and a failure closure, and waits for the result.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.signOut(success: $0, failure: $1) }
/// ```
///
/// The two closures count as one completion: the SDK must call one of them, once. `failure` also
/// accepts an `NSError`, an error type of the SDK, or an optional error. For an SDK whose failure
/// has no error, write `{ @Sendable in failure(nil) }`; for a third closure, see
/// <doc:Choosing#Closures-for-success-and-failure>.
///
/// Also throws ``MissingValueError`` for a failure without an error. The rest is as in
/// ``withAsyncThrowingValue(whenCancelled:timeout:fileID:line:in:onCancel:onDiscard:)-3lf1q``.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not
///     called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with both closures and returns its request, if any. Runs on the
///     caller's actor.
///   - cancel: Tells the SDK to stop, and undoes a success. Receives what `operation` returned.
///     Runs on the caller's actor, exactly once, if a cancellation or timeout ends the call, or
///     comes before an answer that is delivered.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread or the
///     caller's actor.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
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
) async throws -> Value {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in
      try operation({ continuation.resume(returning: $0) }, { continuation.resume(throwing: $0) })
    },
    onCancel: cancel,
    onDiscard: Discarding.every(to: discard)
  )
}

/// Calls an SDK that takes a success closure without a value and a failure closure, and waits until
/// it is done.
///
/// Its errors are those of the overload with a value. See <doc:Contract>.
///
/// - Parameters:
///   - response: What happens if the call is cancelled or times out.
///   - timeout: How long the SDK may take; `nil` means no limit. With zero or less, the SDK is not
///     called.
///   - fileID: The file to name in errors and reports.
///   - line: The line to name in errors and reports.
///   - operation: Calls the SDK with both closures and returns its request, if any. Runs on the
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
  in operation: (
    _ success: @escaping @Sendable () -> Void,
    _ failure: @escaping @Sendable ((any Error)?) -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in
      try operation({ continuation.resume() }, { continuation.resume(throwing: $0) })
    },
    onCancel: cancel,
    onDiscard: nil
  )
}
