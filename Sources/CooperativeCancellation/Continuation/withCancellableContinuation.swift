/// Suspends the task until its continuation is resumed, the task is cancelled, or the call times
/// out.
///
/// Replaces `withCheckedThrowingContinuation` and its unchecked variant: see
/// ``CancellableContinuation``, and <doc:Migrating> for a whole project. Where an overload of
/// `withAsyncThrowingValue` fits the SDK's completion handler, that one is shorter, and checks for
/// cancellation before and after.
///
/// `body` always runs, in a cancelled task and with a timeout of zero, too: at once, on the
/// caller's actor. It returns what `onCancel` needs, or nothing. One event decides: a resumption
/// that comes first is delivered, and `onCancel` does not run, even if the task is cancelled just
/// after it.
///
/// The type of the value may stand in front, where the compiler does not find it, for example in
/// the result of the function: `withCancellableThrowingContinuation(of: Image.self) { … }`. Without
/// a value, write `of: Void.self`.
///
/// Returns the value of the resumption. Throws its error, the error that `body` throws,
/// `CancellationError`, ``TimeoutError``, or, if all copies are dropped,
/// ``DroppedCompletionError``. See <doc:Contract#Continuations>.
///
/// `isolation` has no effect of its own, because the call always stays on the caller's actor. In a
/// closure, such as that of `withTaskCancellationHandler`, an argument that is the `isolation`
/// parameter of the function around it keeps that closure on the actor.
///
/// The other parameters are those of
/// ``withAsyncThrowingValue(whenCancelled:timeout:fileID:line:in:onCancel:onDiscard:)-3lf1q``, but
/// `discard` runs on the thread that resumes, or on the caller's actor.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withCancellableThrowingContinuation<Value, Request>(
  of type: Value.Type = Value.self,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  isolation: (any Actor)? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ body: (_ continuation: CancellableContinuation<Value, any Error>) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
) async throws -> sending Value {
  try await throwingWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    checks: false,
    in: body,
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Suspends the task until its continuation is resumed, in a function that cannot throw. Returns
/// the fallback where
/// ``withCancellableThrowingContinuation(of:whenCancelled:timeout:isolation:fileID:line:_:onCancel:onDiscard:)``
/// would throw.
///
/// The parameters are the same. A released continuation is also reported to
/// ``RuntimeIssue/handler``.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withCancellableContinuation<Value, Request>(
  of type: Value.Type = Value.self,
  fallback: sending Value,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  isolation: (any Actor)? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ body: (_ continuation: CancellableContinuation<Value, Never>) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
) async -> sending Value {
  await fallbackWait(
    .options(response, timeout, CallSite(fileID: fileID, line: line)),
    checks: false,
    fallback: fallback,
    in: body,
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Suspends the task until its continuation is resumed, even if the task is cancelled.
///
/// Replaces `withCheckedContinuation` and its unchecked variant, and waits as they do. To let a
/// cancellation end the wait, use
/// ``withCancellableContinuation(of:fallback:whenCancelled:timeout:isolation:fileID:line:_:onCancel:onDiscard:)``,
/// or a function that throws.
///
/// - Important: If all copies of the continuation are dropped, that is reported, and **the wait
///   never ends**.
///
/// `body` runs at once, on the caller's actor; what it returns is kept until the resumption. The
/// value of a second resumption goes to `onDiscard`, on the thread that resumes. `isolation` is
/// that of
/// ``withCancellableThrowingContinuation(of:whenCancelled:timeout:isolation:fileID:line:_:onCancel:onDiscard:)``.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) public func withUncancellableContinuation<Value, Request>(
  of type: Value.Type = Value.self,
  isolation: (any Actor)? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  _ body: (_ continuation: CancellableContinuation<Value, Never>) -> Request,
  onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
) async -> sending Value {
  await unconditionalWait(
    CallSite(fileID: fileID, line: line),
    isBridge: false,
    in: body,
    onDiscard: discard
  )
}
