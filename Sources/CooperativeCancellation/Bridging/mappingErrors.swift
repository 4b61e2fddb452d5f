/// Runs `body`, and converts the errors that it throws to your own error type.
///
/// ```swift
/// func rename(to name: String) async throws(AlbumError) {
///   try await mappingErrors(to: AlbumError.other, cancellation: .cancelled) {
///     try await withAsyncThrowingValue {
///       sdk.rename(to: name, completion: $0)
///     } onCancel: { request in
///       request.cancel()
///     }
///   }
/// }
/// ```
///
/// Wrap it around any wait: a bridge, a pending call, the `next()` of a sequence. An error that
/// already is a `Failure` is thrown unchanged, and a `CancellationError` becomes `cancellation`.
/// All others go to `map`, including ``TimeoutError``, ``DroppedCompletionError``,
/// ``MissingValueError`` and `AlreadyPendingError`.
///
/// `body` runs at once, and `map` at most once, both on the caller's actor.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func mappingErrors<Value, Failure: Error>(
  to map: (any Error) -> Failure,
  cancellation: @autoclosure () -> Failure,
  in body: nonisolated(nonsending) () async throws -> Value
) async throws(Failure) -> Value {
  do {
    return try await body()
  } catch let failure as Failure {
    throw failure
  } catch is CancellationError {
    throw cancellation()
  } catch {
    throw map(error)
  }
}

/// Runs `body`, and converts its errors to your own type, except `CancellationError`: for an
/// untyped `throws`.
///
/// An error that already is a `Failure` is thrown unchanged, too. `map` and `body` run as in the
/// other form.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func mappingErrors<Value, Failure: Error>(
  to map: (any Error) -> Failure,
  in body: nonisolated(nonsending) () async throws -> Value
) async throws -> Value {
  do {
    return try await body()
  } catch {
    throw error is Failure || error is CancellationError ? error : map(error)
  }
}

/// Runs `body`, and throws your own error in place of a `CancellationError`. Every other error is
/// thrown unchanged.
@_alwaysEmitIntoClient
nonisolated(nonsending) public func mappingErrors<Value>(
  cancellation: @autoclosure () -> any Error,
  in body: nonisolated(nonsending) () async throws -> Value
) async throws -> Value {
  do {
    return try await body()
  } catch is CancellationError {
    throw cancellation()
  }
}

// An initializer of `Result`, because its value is one, as that of `Result(catching:)` is.

extension Result {
  /// Runs `body`, and stores its value, or its error as ``mappingErrors(to:cancellation:in:)``
  /// converts it.
  ///
  /// ```swift
  /// func profile(_ id: Int) async -> Result<Profile, AlbumError> {
  ///   await Result(mappingErrorsTo: AlbumError.other, cancellation: .cancelled) {
  ///     try await withAsyncThrowingValue { sdk.profile(id, completion: $0) }
  ///   }
  /// }
  /// ```
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public init(
    mappingErrorsTo map: (any Error) -> Failure,
    cancellation: @autoclosure () -> Failure,
    in body: nonisolated(nonsending) () async throws -> Success
  ) async {
    do {
      self = .success(try await mappingErrors(to: map, cancellation: cancellation(), in: body))
    } catch {
      self = .failure(error)
    }
  }
}
