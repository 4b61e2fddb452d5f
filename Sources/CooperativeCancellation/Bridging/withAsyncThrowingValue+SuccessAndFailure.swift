/// Calls an SDK that takes a closure for success and one for failure, and waits for it.
///
/// ```swift
/// let user = try await withAsyncThrowingValue { success, failure in
///   sdk.loadUser(id, success: success, failure: failure)
/// }
/// ```
///
/// The two are one completion: it is dropped when both are released, and a call of one after the other is
/// a second call. `failure` also fits an SDK that reports `NSError`, an error type of its own, or an error
/// that may be `nil`.
///
/// Returns and throws what the bridge for a `Result` does; ``MissingValueError`` for a failure without an
/// error.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - response: What to do when the task is cancelled, or the call times out, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the two
///     closures, of which the SDK must call one, once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
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
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let missing = MissingValueError(callSite: terms.callSite)
  return try await throwingBridge(
    terms,
    in: { reply in
      try operation(
        { reply.answer(.success($0)) },
        { reply.answer(.failure($0 ?? missing)) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that takes a closure for success, without a value, and one for failure, and waits for it.
///
/// Everything is as for the form with a value.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - response: What to do when the task is cancelled, or the call times out, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the two
///     closures, of which the SDK must call one, once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
@inlinable
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
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let missing = MissingValueError(callSite: terms.callSite)
  return try await throwingBridge(
    terms,
    in: { reply in
      try operation(
        { reply.answer(.success(())) },
        { reply.answer(.failure($0 ?? missing)) }
      )
    },
    onCancel: cancel,
    onDiscard: nil
  )
}

/// Calls an SDK that takes a closure for success and one for failure, without an error, and waits for it.
///
/// Throws ``MissingValueError`` for a failure. Otherwise everything is as for the form with an error.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - response: What to do when the task is cancelled, or the call times out, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the two
///     closures, of which the SDK must call one, once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable (Value) -> Void,
    _ failure: @escaping @Sendable () -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let missing = MissingValueError(callSite: terms.callSite)
  return try await throwingBridge(
    terms,
    in: { reply in
      try operation(
        { reply.answer(.success($0)) },
        { reply.answer(.failure(missing)) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that takes a closure for success and one for failure, both without arguments, and waits
/// for it.
///
/// Throws ``MissingValueError`` for a failure. Otherwise everything is as for the form with a value and an
/// error.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - response: What to do when the task is cancelled, or the call times out, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in errors and reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the two
///     closures, of which the SDK must call one, once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable () -> Void,
    _ failure: @escaping @Sendable () -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let missing = MissingValueError(callSite: terms.callSite)
  return try await throwingBridge(
    terms,
    in: { reply in
      try operation(
        { reply.answer(.success(())) },
        { reply.answer(.failure(missing)) }
      )
    },
    onCancel: cancel,
    onDiscard: nil
  )
}
