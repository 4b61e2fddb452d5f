/// Calls an SDK that reports a value, an error, or neither to mean "not found", and waits for it.
///
/// ```swift
/// func owner(of name: String) async throws -> Profile? {
///   try await withAsyncThrowingValueIfPresent { sdk.findOwner(of: name, completion: $0) }
/// }
/// ```
///
/// Returns the value, or `nil` if the SDK reports neither a value nor an error. The rest is the
/// same as in `withAsyncThrowingValue`, which throws ``MissingValueError`` then. See
/// <doc:Contract>.
///
/// - Parameters:
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
nonisolated(nonsending) public func withAsyncThrowingValueIfPresent<
  Value: Sendable,
  Request: ~Copyable
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (borrowing Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value? {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    in: { continuation in try operation { continuation.resume(returning: $0, beside: $1) } },
    onCancel: cancel,
    onDiscard: Discarding.onlyPresent(to: discard)
  )
}
