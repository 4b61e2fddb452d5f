/// Calls an SDK that reports a `Result` to a completion handler, and waits for it; a cancelled task
/// stops waiting at once, and the SDK is told.
///
/// ```swift
/// func user(id: String) async throws -> User {
///   try await withAsyncThrowingValue { completion in
///     sdk.loadUser(id, completion: completion)
///   } onCancel: { request in
///     request.cancel()
///   }
/// }
/// ```
///
/// Returns the value that the SDK reports. Throws the error that it reports; or the error that
/// `operation` throws; or `CancellationError` if the task is cancelled; or ``TimeoutError`` if the time is
/// up; or ``DroppedCompletionError`` if the SDK releases `completion` without calling it.
///
/// A closure of your own between the SDK and `completion` needs `@Sendable`: <doc:CrossingThreads>.
/// <doc:Choosing> says what takes which completion, and <doc:Recipes> has an example for each kind of SDK.
///
/// ## Guarantees
///
/// - **Check before**: if the task is already cancelled, `operation` is not called.
/// - **One outcome**: exactly one of value, error, cancel, timeout, dropped completion, or the throw of
///   `operation` decides, in one atomic step. What comes later changes nothing.
/// - **Prompt**: a cancelled wait ends as soon as the caller's actor is free, even if the SDK never
///   calls back.
/// - **Check after**: a value is not delivered to a task that is cancelled by the time it resumes. An
///   error that the SDK reported first is delivered as it is.
/// - **Nothing lost**: each value that is not delivered goes to `onDiscard`, exactly once. An error that
///   comes too late is dropped.
/// - **Misuse**: a second call of `completion` is ignored and reported to ``MisuseReport/handler``; a
///   dropped completion ends the wait with an error. The first late call after a cancel or a timeout is
///   normal and silent. Nothing traps.
/// - **Forwarding**: `onCancel` runs at most once, after `operation` returned, only if the cancel or the
///   timeout came before the SDK's answer, and before this function returns. By then the SDK may have
///   finished: its `cancel()` must allow that.
/// - **No lock held**: none of the library's locks is held while the task is resumed, and no lock of the
///   library's or the runtime's while one of the closures runs or a value is released.
/// - **In place**: `operation` and `onCancel` run on the caller's actor, `operation` before anything
///   suspends. An answer that the SDK gives inside `operation` costs no suspension.
/// - **No extra demands**: neither the SDK's objects nor its request need be `Sendable`.
///
/// ## Cancellation
///
/// `response` says what a wait does that is cancelled before the SDK has answered; see
/// ``CancellationResponse``. With ``CancellationResponse/waitForCallback`` it is not prompt; with
/// ``CancellationResponse/deliverResult`` neither that nor the check after holds. A timeout is forwarded
/// like a cancel.
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
  in operation: (_ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer($0) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that reports a `Result` without a value, and waits until it is done.
///
/// ```swift
/// try await withAsyncThrowingValue { completion in
///   sdk.rename(to: name) { @Sendable error in
///     if let error { completion(.failure(error)) } else { completion(.success) }
///   }
/// }
/// ```
///
/// Returns when the SDK reports success, and throws what the bridge for a value does.
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
  in operation:
    (_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer($0) } },
    onCancel: cancel,
    onDiscard: nil
  )
}

/// Calls an SDK that reports a `Result` with an error type of its own, and waits for it.
///
/// ```swift
/// let user = try await withAsyncThrowingValue { sdk.loadUser(id, completion: $0) }
/// ```
///
/// Returns and throws what the bridge for `Result<Value, any Error>` does; the SDK's error keeps its type
/// inside the `any Error`.
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
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async throws -> Value {
  try await throwingBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    in: { reply in try operation { reply.answer($0.mapError { $0 }) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that reports a `Result` whose value is not `Sendable`, and takes the value over.
///
/// ```swift
/// let document: Document = try await withAsyncThrowingValue { completion in
///   sdk.read(path) { @Sendable bytes, error in
///     if let error { completion(.failure(error)) } else { completion(.success(Document(bytes))) }
///   }
/// }
/// ```
///
/// The value moves from the SDK's thread to the caller: `completion` takes it as `sending`, so the
/// compiler lets it pass only where the SDK keeps no hold of it, that is, where it is made inside the
/// callback or the SDK's own parameter is `sending`. Elsewhere, convert it to something `Sendable` inside
/// the callback.
///
/// Returns and throws what the bridge for a `Sendable` value does.
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
nonisolated(nonsending) public func withAsyncThrowingValue<Value, Request>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (sending Result<Value, any Error>) -> Void)
    throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
) async throws -> sending Value {
  let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
  let disconnected = try await throwingBridge(
    terms,
    in: { reply in try operation { reply.answer(Disconnected.packing($0)) } },
    onCancel: cancel,
    onDiscard: Disconnected.opening(discard)
  )
  guard let value = disconnected.open() else { throw MissingValueError(callSite: terms.callSite) }
  return value
}
