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

@available(
  *,
  unavailable,
  message: "a bridge that throws has no fallback: use 'await withAsyncValue(fallback:)'"
)
@_alwaysEmitIntoClient
public func withAsyncThrowingValue<Value, Completion, Request>(
  fallback: Value,
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  in operation: (_ completion: Completion) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws -> Value {
  throw cancellation()
}

@available(*, unavailable, message: "write 'timeout:' before the timeout")
@_alwaysEmitIntoClient
public func withAsyncThrowingValue<Value, Completion, Request>(
  _ timeout: Timeout,
  in operation: (_ completion: Completion) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws -> Value {
  throw cancellation()
}

@available(*, unavailable, message: "the SDK can fail: use 'try await withAsyncThrowingValue'")
@_alwaysEmitIntoClient
public func withAsyncValue<Value: Sendable, Request>(
  in operation: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Value {
  await withAsyncValue { (_: @Sendable (Value) -> Void) in }
}

@available(*, unavailable, message: "write 'whenCancelled:' before the response")
@_alwaysEmitIntoClient
public func withAsyncThrowingValue<Value, Completion, Request>(
  _ response: CancellationResponse,
  in operation: (_ completion: Completion) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws -> Value {
  throw cancellation()
}

// An `onCancel` of one call that has a result, after a closure of several statements. Of three
// shapes, because Swift 6.3.1 finds these only if the shape is given and the type of the error is
// not: with `any Error`, or for a completion that takes any value, it says that it cannot infer
// `$0`.

@available(*, unavailable, message: "what 'onCancel' calls has a result: write '_ =' before it")
@_alwaysEmitIntoClient
public func withAsyncThrowingValue<Value: Sendable, Failure: Error, Request, Ignored>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  in operation: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) throws ->
    Request,
  onCancel cancel: (Request) -> Ignored
) async throws -> Value {
  throw cancellation()
}

@available(*, unavailable, message: "what 'onCancel' calls has a result: write '_ =' before it")
@_alwaysEmitIntoClient
public func withAsyncThrowingValue<Value: Sendable, Failure: Error, Request, Ignored>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  in operation: (_ completion: @escaping @Sendable (Value?, Failure?) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Ignored
) async throws -> Value {
  throw cancellation()
}

@available(*, unavailable, message: "what 'onCancel' calls has a result: write '_ =' before it")
@_alwaysEmitIntoClient
public func withAsyncThrowingValue<Failure: Error, Request, Ignored>(
  whenCancelled response: CancellationResponse = .abandonCallback,
  timeout: Timeout? = nil,
  in operation: (_ completion: @escaping @Sendable (Failure?) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Ignored
) async throws {
  throw cancellation()
}
