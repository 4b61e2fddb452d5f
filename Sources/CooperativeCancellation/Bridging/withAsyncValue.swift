/// Calls an SDK that cannot fail, and waits for its value, even if the task is cancelled.
///
/// ```swift
/// await withAsyncValue { sdk.measure($0) }
/// ```
///
/// - Important: Cancellation does not end this wait: `onCancel` runs, and the wait continues. If the SDK
///   releases `completion` without calling it, the library reports that to ``MisuseReport/handler``, and
///   **the wait never ends**. `withAsyncThrowingValue`, and this function with `fallback:`, end at once in
///   both cases.
///
/// Of the guarantees in <doc:Contract>, check before, prompt and check after do not hold.
///
/// - Parameters:
///   - fileID: The file to name in reports.
///   - line: The line to name in reports.
///   - operation: Calls the SDK with `completion` and returns its request, if any. Runs on the caller's actor.
///   - cancel: Tells the SDK to stop, when the task is cancelled. Receives what `operation`
///     returned; runs on the caller's actor, at most once.
///   - discard: Closes or frees a value that is not returned. Runs on the SDK's thread.
// Disfavored, because a `Result` also matches `Value`: for one, there is an overload with a message.
@_disfavoredOverload
@inlinable
@inline(__always)
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

/// Calls an SDK that cannot fail and has no value, and waits until it is done, even if the task is cancelled.
///
/// ```swift
/// await withAsyncValue { sdk.flush($0) }
/// ```
///
/// - Important: Cancellation does not end this wait: `onCancel` runs, and the wait continues until the SDK is
///   done. With `fallback: ()`, cancellation ends it. A released completion ends it, and the library reports
///   it to ``MisuseReport/handler``.
///
/// The parameters are those of the overload with a value.
@inlinable
@inline(__always)
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
