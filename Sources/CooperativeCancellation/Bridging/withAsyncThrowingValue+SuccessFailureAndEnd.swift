/// Calls an SDK that takes a closure for success, one for failure, and one that it calls when it has ended
/// or was cancelled, and waits for it.
///
/// ```swift
/// let token = try await withAsyncThrowingValue { success, failure, cancelled in
///   sdk.signIn(success: success, failure: failure, cancelled: cancelled)
/// }
/// ```
///
/// The three are one completion. If the SDK calls the third one first, there was neither success nor
/// failure (its user closed the window, say): a `CancellationError` is thrown although the task is not
/// cancelled. After success or failure it means nothing, and is not misuse: SDKs have closures that always
/// run at the end, named "disposed", "finally" or "always".
///
/// Otherwise returns and throws what the form with two closures does.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the three
///     closures; the SDK must call one of the first two once, or the third, from any thread.
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
    _ failure: @escaping @Sendable ((any Error)?) -> Void,
    _ ended: @escaping @Sendable () -> Void
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
        { reply.answer(.failure($0 ?? missing)) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that takes a closure for success, without a value, one for failure, and one that it calls
/// when it has ended or was cancelled, and waits for it.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the three
///     closures; the SDK must call one of the first two once, or the third, from any thread.
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
    _ failure: @escaping @Sendable ((any Error)?) -> Void,
    _ ended: @escaping @Sendable () -> Void
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
        { reply.answer(.failure($0 ?? missing)) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: nil
  )
}

/// Calls an SDK that takes a closure for success, one for failure, without an error, and one that it calls
/// when it has ended or was cancelled, and waits for it.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the three
///     closures; the SDK must call one of the first two once, or the third, from any thread.
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
    _ failure: @escaping @Sendable () -> Void,
    _ ended: @escaping @Sendable () -> Void
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
        { reply.answer(.failure(missing)) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that takes a closure for success and one for failure, both without arguments, and one that
/// it calls when it has ended or was cancelled, and waits for it.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the three
///     closures; the SDK must call one of the first two once, or the third, from any thread.
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
    _ failure: @escaping @Sendable () -> Void,
    _ ended: @escaping @Sendable () -> Void
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
        { reply.answer(.failure(missing)) },
        { reply.answer(.failure(CancellationError()), reportsAgain: false) }
      )
    },
    onCancel: cancel,
    onDiscard: nil
  )
}
