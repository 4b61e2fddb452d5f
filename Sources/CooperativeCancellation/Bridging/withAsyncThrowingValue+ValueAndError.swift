/// Calls an SDK that reports a value and an error, one of them `nil`, and waits for it.
///
/// ```swift
/// let image = try await withAsyncThrowingValue { sdk.image(at: url, completion: $0) }
/// ```
///
/// Fits `(Value?, (any Error)?)`, `(Value?, NSError?)`, and `(Bool, (any Error)?)`.
///
/// Returns the value. Throws the error, even if there is a value beside it, which then goes to
/// `onDiscard`; ``MissingValueError`` if there is neither; and whatever else the bridge for a `Result`
/// throws. Where the caller wants a `Value?`, the form that returns one is called: there `nil` is an answer.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
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
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let value = try await throwingBridge(
    terms,
    in: { reply in try operation { reply.answer($0, beside: $1) } },
    onCancel: cancel,
    onDiscard: onlyPresent(to: discard)
  )
  guard let value else { throw MissingValueError(callSite: terms.callSite) }
  return value
}

/// Calls an SDK that reports a value, an error, or neither for "there is none", and waits for it.
///
/// ```swift
/// func owner(of name: String) async throws -> Profile? {
///   try await withAsyncThrowingValue { sdk.findOwner(of: name, completion: $0) }
/// }
/// ```
///
/// Returns the value, or `nil` if there is neither value nor error. It is called where the result is used
/// as an optional: returned as one, assigned to one, or taken apart with `guard let`, `?.` or `??`.
/// Otherwise everything is as for the form that returns a `Value`.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
///   - rank: Not to be passed: it ranks this form behind others that fit.
// The last parameter is never passed. A declaration with more parameters is chosen last, where the caller
// does not say which of the two results it wants.
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Value: Sendable, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil,
  _ rank: Void = ()
) async throws -> Value? {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer($0, beside: $1) } },
    onCancel: cancel,
    onDiscard: onlyPresent(to: discard)
  )
}

/// Calls an SDK that reports two values and an error, and waits for it.
///
/// ```swift
/// let (data, response) = try await withAsyncThrowingValue { completion in
///   let task = session.dataTask(with: url, completionHandler: completion)
///   task.resume()
///   return task
/// } onCancel: {
///   $0.cancel()
/// }
/// ```
///
/// Returns both values. Throws the error, even if there are values beside it; ``MissingValueError`` if
/// there is no error and a value is missing; and whatever else the bridge for a `Result` throws. Values
/// that are not returned go to `onDiscard`, a lone one with `nil` for the other.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees values that nobody receives; at least one of the two is there. Runs on the
///     thread that brought them (the SDK's), or on the caller's actor if the task had received them
///     already.
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<
  First: Sendable,
  Second: Sendable,
  Request
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First?, Second?, (any Error)?) -> Void) throws
    -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First?, Second?) -> Void)? = nil
) async throws -> (First, Second) {
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let values = try await throwingBridge(
    terms,
    in: { reply in try operation { reply.answer(($0, $1), beside: $2) } },
    onCancel: cancel,
    onDiscard: onlyPresent(to: discard)
  )
  guard let first = values.0, let second = values.1 else {
    onlyPresent(to: discard)?(values)
    throw MissingValueError(callSite: terms.callSite)
  }
  return (first, second)
}

/// Calls an SDK that reports three values and an error, and waits for it.
///
/// Returns the three values. Throws and discards as the form for two values does.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees values that nobody receives; at least one of them is there. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<
  First: Sendable,
  Second: Sendable,
  Third: Sendable,
  Request
>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First?, Second?, Third?, (any Error)?) -> Void)
    throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First?, Second?, Third?) -> Void)? = nil
) async throws -> (First, Second, Third) {
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let values = try await throwingBridge(
    terms,
    in: { reply in try operation { reply.answer(($0, $1, $2), beside: $3) } },
    onCancel: cancel,
    onDiscard: onlyPresent(to: discard)
  )
  guard let first = values.0, let second = values.1, let third = values.2 else {
    onlyPresent(to: discard)?(values)
    throw MissingValueError(callSite: terms.callSite)
  }
  return (first, second, third)
}

/// Calls an SDK that reports an error or nothing, and waits until it is done.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.save(document, completion: $0) }
/// ```
///
/// Returns when the SDK reports `nil`. Throws the error that it reports, and whatever else the bridge for a
/// `Result` throws.
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
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
@inlinable
nonisolated(nonsending) public func withAsyncThrowingValue<Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable ((any Error)?) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer((), beside: $0) } },
    onCancel: cancel,
    onDiscard: nil
  )
}
