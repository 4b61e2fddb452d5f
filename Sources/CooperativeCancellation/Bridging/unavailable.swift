// Mistakes about which the compiler, among so many overloads, would say something useless. It says these
// messages instead; nothing here is ever called.

@available(
  *,
  unavailable,
  message:
    "this SDK reports no error: use 'withAsyncValue', or pass '.success(value)' to the completion"
)
public func withAsyncThrowingValue<Value: Sendable, Request>(
  in operation: (_ completion: @escaping @Sendable (Value) -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws -> Value {
  throw CancellationError()
}

@available(
  *,
  unavailable,
  message: "this SDK reports no error: use 'withAsyncValue', or pass '.success' to the completion"
)
public func withAsyncThrowingValue<Request>(
  in operation: (_ completion: @escaping @Sendable () -> Void) throws -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async throws {
  throw CancellationError()
}

@available(
  *,
  unavailable,
  message: "this SDK reports errors: use 'try await withAsyncThrowingValue'"
)
public func withAsyncValue<Value: Sendable, Failure: Error, Request>(
  in operation: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) -> Request,
  onCancel cancel: (Request) -> Void = { _ in }
) async -> Value {
  await withAsyncValue { (_: @Sendable (Value) -> Void) in }
}
