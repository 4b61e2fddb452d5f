/// Calls an SDK that reports an error or nothing, and returns a `Result` with your error type.
///
/// ```swift
/// func save(_ document: Document) async -> Result<Void, ServiceError> {
///   await withAsyncResult(mapError: ServiceError.init) { sdk.save(document, completion: $0) }
/// }
/// ```
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
@inlinable
nonisolated(nonsending) public func withAsyncResult<Failure: Error, Request>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable ((any Error)?) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Result<Void, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel
      ) as Void
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports a `Result` whose error can be anything, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, any Error>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Result<Value, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports a `Result` with an error type of its own, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
// The last parameter: as for `withAsyncThrowingValue`. Where the SDK has your error type, it is the other one.
@_disfavoredOverload
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Reported: Error,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Reported>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil,
  _: Void = ()
) async -> Result<Value, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports a value and an error, one of them `nil`, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil
) async -> Result<Value, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports a value, an error, or neither, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
// The last parameter: as for `withAsyncThrowingValue`.
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (Value) -> Void)? = nil,
  _: Void = ()
) async -> Result<Value?, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value?
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports two values and an error, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
///   - discard: Closes or frees values that nobody receives; at least one of the two is there. Runs on the thread that brought it
///     (the SDK's), or on the caller's actor if the task had received it already.
@inlinable
nonisolated(nonsending) public func withAsyncResult<
  First: Sendable,
  Second: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (_ completion: @escaping @Sendable (First?, Second?, (any Error)?) -> Void) throws
    ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (First?, Second?) -> Void)? = nil
) async -> Result<(First, Second), Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as (First, Second)
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports to one closure for success and one for failure, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
nonisolated(nonsending) public func withAsyncResult<
  Value: Sendable,
  Failure: Error,
  Request
>(
  mapError map: (any Error) -> Failure,
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
) async -> Result<Value, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel,
        onDiscard: discard
      ) as Value
    )
  } catch {
    return .failure(map(error))
  }
}

/// Calls an SDK that reports to one closure for success, without a value, and one for failure, and returns a `Result` with your error type.
///
/// `map` makes your error of each error that `withAsyncThrowingValue` would throw.
///
/// All ten guarantees of <doc:Contract> hold: check before, one outcome, prompt, check after, nothing
/// lost, misuse, forwarding, no lock held, in place, no extra demands.
///
/// - Parameters:
///   - map: Makes your error of the SDK's error, of what `operation` throws, and of what the bridge itself
///     reports: `CancellationError`, ``TimeoutError``, ``DroppedCompletionError``, ``MissingValueError``. Runs on the
///     caller's actor, in the waiting task, at most once.
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
nonisolated(nonsending) public func withAsyncResult<Failure: Error, Request>(
  mapError map: (any Error) -> Failure,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  fileID: StaticString = #fileID,
  line: UInt = #line,
  in operation: (
    _ success: @escaping @Sendable () -> Void,
    _ failure: @escaping @Sendable ((any Error)?) -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Result<Void, Failure> {
  do {
    return .success(
      try await withAsyncThrowingValue(
        whenCancelled: response,
        timeout: timeout,
        fileID: fileID,
        line: line,
        in: operation,
        onCancel: cancel
      ) as Void
    )
  } catch {
    return .failure(map(error))
  }
}
