// These overloads are never called. Each catches one mistake, for which the compiler would
// otherwise blame an unrelated overload.

@available(*, unavailable, message: "the SDK can fail: use 'try await withAsyncThrowingValue'")
@_alwaysEmitIntoClient
public func withAsyncValue<Value: Sendable, Failure: Error, Request>(
  in operation: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Value {
  await withAsyncValue { (_: @Sendable (Value) -> Void) in }
}

@available(
  *,
  unavailable,
  message:
    "without 'fallback:', cancellation is ignored: add 'fallback:', or use 'try await withAsyncThrowingValue'"
)
@_alwaysEmitIntoClient
public func withAsyncValue<Value: Sendable, Request>(
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) -> Request,
  onCancel cancel: (Request) -> Void
) async -> Value {
  await withAsyncValue(in: operation)
}

@available(
  *,
  unavailable,
  message:
    "several values: combine them into one, '{ @Sendable in completion(($0, $1)) }', or use 'withCancellableThrowingContinuation'"
)
@_alwaysEmitIntoClient
public func withAsyncThrowingValue<First, Second, each More, Request>(
  in operation: (
    _ completion: @escaping @Sendable (First, Second, repeat each More) -> Void
  ) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws -> (First, Second, repeat each More) {
  throw cancellation()
}

@available(*, unavailable, message: "a Result is never absent: use 'withAsyncThrowingValue'")
@_alwaysEmitIntoClient
public func withAsyncThrowingValueIfPresent<Value: Sendable, Failure: Error, Request>(
  in operation: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws -> Value? {
  throw cancellation()
}
