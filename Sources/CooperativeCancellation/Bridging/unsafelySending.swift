// For values that are not `Sendable` and that the SDK hands over, although its declaration does not say so.

/// Returns a completion that transfers the SDK's non-`Sendable` value to the caller. You promise that this is safe.
///
/// ```swift
/// try await withAsyncThrowingValue { sdk.record(unsafelySending($0)) }
/// ```
///
/// The compiler accepts such a value only if it can prove that nothing else holds it, which it cannot for a callback's
/// parameter. If the SDK's types merely lack `Sendable`, and are in fact safe, `@preconcurrency import` is enough.
///
/// - Warning: Nothing checks your promise: the SDK must not use the value, or anything reachable from it, after it has
///   called back. Otherwise, there is a data race. If it might, convert the value to a `Sendable` one in the callback.
///
/// - Parameter completion: The completion of the bridge, or of another wait that takes its value as `sending`.
@inlinable
public func unsafelySending<Value>(
  _ completion: @escaping @Sendable (sending Result<Value, any Error>) -> Void
) -> @Sendable (Result<Value, any Error>) -> Void {
  { result in
    // Safe if the caller's promise holds: the SDK has given the value away, and this closure only passes it on, once.
    // So the task that receives it is the only one that uses it.
    nonisolated(unsafe) let result = result
    completion(result)
  }
}

/// The same for an SDK that reports a value and an error. With neither, the wait throws ``MissingValueError``. A value
/// that comes with an error is released.
@_disfavoredOverload
@inlinable
public func unsafelySending<Value>(
  _ completion: @escaping @Sendable (sending Result<Value, any Error>) -> Void,
  fileID: StaticString = #fileID,
  line: UInt = #line
) -> @Sendable (Value?, (any Error)?) -> Void {
  let send: @Sendable (Result<Value, any Error>) -> Void = unsafelySending(completion)
  return { value, error in
    send(
      error.map { .failure($0) } ?? value.map { .success($0) }
        ?? .failure(MissingValueError(callSite: CallSite(fileID: fileID, line: line)))
    )
  }
}

/// The same if the result is an optional, or its type is not given: with neither a value nor an error, it is `nil`.
@inlinable
public func unsafelySending<Value>(
  _ completion: @escaping @Sendable (sending Result<Value?, any Error>) -> Void
) -> @Sendable (Value?, (any Error)?) -> Void {
  let send: @Sendable (Result<Value?, any Error>) -> Void = unsafelySending(completion)
  return { value, error in send(error.map { .failure($0) } ?? .success(value)) }
}

/// The same for an SDK that cannot fail.
@inlinable
public func unsafelySending<Value>(
  _ completion: @escaping @Sendable (sending Result<Value, any Error>) -> Void
) -> @Sendable (Value) -> Void {
  let send: @Sendable (Result<Value, any Error>) -> Void = unsafelySending(completion)
  return { value in send(.success(value)) }
}
