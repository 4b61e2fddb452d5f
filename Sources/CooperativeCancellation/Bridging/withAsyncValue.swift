/// Calls an SDK that cannot fail and waits for its value, however long that takes: `withAsyncThrowingValue`
/// and the form with `fallback:` take the same completion, and can be cancelled.
///
/// ```swift
/// let size = await withAsyncValue { completion in
///   sdk.measureCache(completion)
/// }
/// ```
///
/// - Important: There is nothing to return but the SDK's value, so cancelling does not end this wait,
///   neither before nor after the SDK was called: the cancel is forwarded, and the wait goes on. If the
///   SDK releases `completion` without calling it, that is reported to ``MisuseReport/handler`` and **the
///   wait does not end**. Use `withAsyncThrowingValue`, or name a fallback: both end at once.
///
/// The rest holds: one outcome, nothing lost (a second value goes to `onDiscard`), misuse, forwarding, no
/// lock held, in place, no extra demands.
///
/// - Parameters:
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once, even in a cancelled task. What it returns is kept until the wait
///     ends. It receives the completion that the SDK must call exactly once,
///     from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the cancelled task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the SDK's thread.
// Disfavored, because a `Result<_, Never>` is a value too.
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncValue<Value: Sendable, Request>(
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Value {
  await unconditionalBridge(
    CallSite(fileID: fileID, line: line),
    ifDropped: nil,
    in: { reply in operation { reply.answer($0) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that reports a `Result` without an error and waits for its value, however long that
/// takes.
///
/// - Important: As with the completion that takes the bare value, cancelling does not end this wait, and
///   neither does a dropped completion. With `fallback:` both do.
///
/// - Parameters:
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once, even in a cancelled task. What it returns is kept until the wait
///     ends. It receives the completion that the SDK must call exactly once,
///     from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the cancelled task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the SDK's thread.
@inlinable
nonisolated(nonsending) public func withAsyncValue<Value: Sendable, Request>(
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Never>) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Value {
  await unconditionalBridge(
    CallSite(fileID: fileID, line: line),
    ifDropped: nil,
    in: { reply in operation { reply.answer($0.get()) } },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Calls an SDK that cannot fail and waits for its two values, however long that takes.
///
/// - Important: As with the completion that takes the bare value, cancelling does not end this wait, and
///   neither does a dropped completion. With `fallback:` both do.
///
/// - Parameters:
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once, even in a cancelled task. What it returns is kept until the wait
///     ends. It receives the completion that the SDK must call exactly once,
///     from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the cancelled task, at most once.
///   - discard: Closes or frees a value that nobody receives. Runs on the SDK's thread.
@inlinable
nonisolated(nonsending) public func withAsyncValue<First: Sendable, Second: Sendable, Request>(
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First, Second) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First, Second) -> Void)? = nil
) async -> (First, Second) {
  await unconditionalBridge(
    CallSite(fileID: fileID, line: line),
    ifDropped: nil,
    in: { reply in operation { reply.answer(($0, $1)) } },
    onCancel: cancel,
    onDiscard: all(to: discard)
  )
}

/// Calls an SDK that reports nothing but that it is done, and waits for that, however long it takes.
///
/// ```swift
/// await withAsyncValue { sdk.flush($0) }
/// ```
///
/// - Important: Cancelling does not end this wait: the cancel is forwarded, and the wait goes on until the
///   SDK is done. `withAsyncThrowingValue`, and this with `fallback: ()`, end at once. A dropped completion is reported to
///   ``MisuseReport/handler`` and ends the wait.
///
/// - Parameters:
///   - fileID: The file to name in reports; by default the caller's.
///   - line: The line to name in them; by default the caller's.
///   - operation: Starts the SDK and returns its request, or whatever `onCancel` needs; or nothing. Runs
///     on the caller's actor, at once, even in a cancelled task. What it returns is kept until the wait
///     ends. It receives the completion that the SDK must call exactly once,
///     from any thread.
///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's
///     actor, in the cancelled task, at most once.
@inlinable
nonisolated(nonsending) public func withAsyncValue<Request>(
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable () -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async {
  await unconditionalBridge(
    CallSite(fileID: fileID, line: line),
    ifDropped: (),
    in: { reply in operation { reply.answer(()) } },
    onCancel: cancel,
    onDiscard: nil
  )
}
