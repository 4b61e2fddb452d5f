/// Calls an SDK that takes a closure for success and one for failure, and waits for it.
///
/// ```swift
/// let user = try await withAsyncThrowingValue { success, failure in
///   sdk.loadUser(id, success: success, failure: failure)
/// }
/// ```
///
/// The two are one completion: it is dropped when both are released, and a call of one after the other is
/// a second call.
///
/// Returns and throws what the bridge for a `Result` does.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - response: What to do when the task is cancelled, or the time is up, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the two
///     closures, of which the SDK must call one, once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the thread that brought the value
///     (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable (Value) -> Void,
    _ failure: @escaping @Sendable (any Error) -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingBridge(
    Terms(response, timeout, fileID, line),
    in: { reply in
      try operation(
        { reply.answer(.success($0)) },
        { reply.answer(.failure($0)) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that takes a closure for success, one for failure and one for its own cancel, and waits
/// for it.
///
/// ```swift
/// let token = try await withAsyncThrowingValue { success, failure, cancelled in
///   sdk.signIn(success: success, failure: failure, cancelled: cancelled)
/// }
/// ```
///
/// The three are one completion. When the SDK calls the third (its user closed the window, say), a
/// `CancellationError` is thrown although the task is not cancelled.
///
/// Otherwise returns and throws what the bridge for a `Result` does.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - response: What to do when the task is cancelled, or the time is up, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the three
///     closures, of which the SDK must call one, once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the thread that brought the value
///     (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable (Value) -> Void,
    _ failure: @escaping @Sendable (any Error) -> Void,
    _ cancelled: @escaping @Sendable () -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingBridge(
    Terms(response, timeout, fileID, line),
    in: { reply in
      try operation(
        { reply.answer(.success($0)) },
        { reply.answer(.failure($0)) },
        { reply.answer(.failure(CancellationError())) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}
