/// Calls an SDK that cannot fail and waits for its value; a cancelled task gets the fallback at once, and
/// the SDK is told.
///
/// ```swift
/// let name = await withAsyncValue(fallback: "Guest") { completion in
///   sdk.displayName(completion)
/// }
/// ```
///
/// Returns the value that the SDK reports, or `fallback` where a throwing bridge would throw: if the task
/// is cancelled, if the time is up, and if the SDK releases `completion` without calling it (which is also
/// reported to ``MisuseReport/handler``).
///
/// A closure of your own between the SDK and `completion` needs `@Sendable`: <doc:CrossingThreads>.
///
/// ## Guarantees
///
/// - **Check before**: if the task is already cancelled, `operation` is not called.
/// - **One outcome**: exactly one of value, cancel, timeout or dropped completion decides, in one atomic
///   step. What comes later changes nothing.
/// - **Prompt**: a cancelled wait ends as soon as the caller's actor is free, even if the SDK never
///   calls back.
/// - **Check after**: a value is not delivered to a task that is cancelled by the time it resumes.
/// - **Nothing lost**: each value that is not delivered goes to `onDiscard`, exactly once.
/// - **Misuse**: a second call of `completion` is ignored and reported; a dropped completion ends the wait
///   and is reported. The first late call after a cancel or a timeout is normal and silent. Nothing traps.
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
/// ``CancellationResponse``, and read "returns the fallback" for "throws `CancellationError`".
///
/// - Parameters:
///   - fallback: What to return when there is no value to deliver.
///   - response: What to do when the task is cancelled, or the time is up, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives; never the fallback. Runs on the thread that
///     brought the value (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncValue<Value: Sendable, Request>(
  fallback: Value,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Value {
  await fallbackBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    fallback: fallback,
    in: { reply in operation { reply.answer($0) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that reports a `Result` without an error and waits for its value; a cancelled task gets
/// the fallback at once, and the SDK is told.
///
/// Everything is as for the completion that takes the bare value.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - fallback: What to return when there is no value to deliver.
///   - response: What to do when the task is cancelled, or the time is up, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives; never the fallback. Runs on the thread that
///     brought the value (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncValue<Value: Sendable, Request>(
  fallback: Value,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Never>) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Value {
  await fallbackBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    fallback: fallback,
    in: { reply in operation { reply.answer($0.get()) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that cannot fail and waits for its two values; a cancelled task gets the fallback at once,
/// and the SDK is told.
///
/// Everything is as for the completion that takes the bare value.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - fallback: What to return when there is no value to deliver.
///   - response: What to do when the task is cancelled, or the time is up, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
///   - discard: Closes or frees a value that nobody receives; never the fallback. Runs on the thread that
///     brought the value (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncValue<First: Sendable, Second: Sendable, Request>(
  fallback: (First, Second),
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First, Second) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First, Second) -> Void)? = nil
) async -> (First, Second) {
  await fallbackBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    fallback: fallback,
    in: { reply in operation { reply.answer(($0, $1)) } },
    onCancel: cancel,
    onDiscard: all(to: discard)
  )
}

/// Calls an SDK that reports nothing but that it is done, and waits for that; a cancelled task stops
/// waiting at once, and the SDK is told.
///
/// ```swift
/// await withAsyncValue(fallback: ()) { sdk.flush($0) }
/// ```
///
/// Check `Task.isCancelled` afterwards if you need to know whether the SDK is done. Everything else is as
/// for the completion that takes a value.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - fallback: Nothing, written `()`: says that the wait may end before the SDK is done.
///   - response: What to do when the task is cancelled, or the time is up, before the SDK has answered.
///   - timeout: How long the SDK may take, counted from before `operation`; `nil` for as long as it likes.
///     With zero or less it is not called.
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once. What it returns is kept until the wait ends. It receives the
///     completion that the SDK must call exactly once, from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the waiting task, at most once.
@inlinable
nonisolated(nonsending) public func withAsyncValue<Request>(
  fallback: Void,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable () -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async {
  await fallbackBridge(
    Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line),
    fallback: fallback,
    in: { reply in operation { reply.answer(()) } },
    onCancel: cancel,
    onDiscard: nil
  )
}
