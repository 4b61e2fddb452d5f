// What an annotation turns a call into. These return what the overloads for SDKs that cannot fail
// would return, because a `Result` and an optional error match their `Value`, too. A warning says
// so, because a program that lost an error in this way would look the same.

/// Returns the SDK's `Result`, because that type is written where the value goes, and throws none of
/// its errors. To have them thrown, write the type of the value; to have the `Result`, with or
/// without an error, use ``withCancellableThrowingContinuation(of:whenCancelled:timeout:isolation:fileID:line:_:onCancel:onDiscard:)``.
@available(
  *,
  deprecated,
  message:
    "the type written here makes errors a result, and none of the SDK's is thrown: annotate the value"
)
@_disfavoredOverload
@_alwaysEmitIntoClient
nonisolated(nonsending) public func withAsyncThrowingValue<
  Value: Sendable,
  Failure: Error,
  Request
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Result<Value, Failure>) -> Void)? = nil
) async throws -> Result<Value, Failure> {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(returning: $0) } },
    onCancel: cancel,
    onDiscard: Discarding.every(to: discard)
  )
}

/// Returns the SDK's error, because the type of an optional error is written where the value goes,
/// and does not throw it. To have it thrown, leave the type out.
@available(
  *,
  deprecated,
  message:
    "the type written here makes errors a result, and none of the SDK's is thrown: leave it out"
)
@_disfavoredOverload
@_alwaysEmitIntoClient
nonisolated(nonsending) public func withAsyncThrowingValue<Failure: Error, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Failure?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Failure?) -> Void)? = nil
) async throws -> Failure? {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(returning: $0) } },
    onCancel: cancel,
    onDiscard: Discarding.every(to: discard)
  )
}
