public import CancellationInternals
public import CooperativeCancellation

extension PendingCalls {
  /// Calls an SDK whose answer arrives by id, and waits for it.
  ///
  /// Returns the value that answers the call. Throws the error that answers it or all calls, that
  /// of `operation`, `CancellationError`, `TimeoutError`, or, without calling the SDK,
  /// ``AlreadyPendingError``.
  ///
  /// - Parameters:
  ///   - id: Identifies the answer. If another call has it, ``TakenIDPolicy`` decides.
  ///   - response: What happens if the call is cancelled or times out.
  ///   - timeout: How long the turn, `operation` and the answer may take together; `nil` means no
  ///     limit.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - operation: Calls the SDK and returns what `onCancel` needs, or nothing. Runs on the
  ///     caller's actor, at once.
  ///   - cancel: Tells the SDK to stop, and undoes a success. Receives what `operation` returned.
  ///     Runs on the caller's actor, exactly once, if a cancellation or timeout ends the call, or
  ///     comes before an answer that is delivered.
  ///   - discard: Closes or frees a value that this call took and does not return. Runs on the
  ///     caller's actor; if calls share their id, perhaps on the thread that delivers a late value.
  @_alwaysEmitIntoClient
  @inline(__always)
  nonisolated(nonsending) public func value<Request>(
    for id: ID,
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> Request,
    onCancel cancel: (Request) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let options = CallOptions.options(response, timeout, CallSite(fileID: fileID, line: line))
    return try await call(id, options, in: operation, onCancel: cancel, onDiscard: discard)
  }

  @available(*, unavailable, message: "an asynchronous closure: use 'value(forSending:)'")
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public func value<Request>(
    for id: ID,
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    in operation: () async throws -> Request,
    onCancel cancel: (Request) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    throw cancellationError()
  }

  /// Calls an SDK that returns the id of its answer, and waits for the answer.
  ///
  /// ```swift
  /// try await results.value {
  ///   index.search(text)
  /// } onCancel: { number in
  ///   index.stop(number)
  /// }
  /// ```
  ///
  /// An answer that arrives before `operation` returns is kept until the id is known. Results and
  /// parameters are those of the form with an id, but ``AlreadyPendingError`` is thrown after the
  /// SDK was called. If calls share their ids, it is not thrown, and the call takes its place
  /// behind those with the id, without waiting for its turn.
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public func value(
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> ID,
    onCancel cancel: (ID) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let options = CallOptions.options(response, timeout, CallSite(fileID: fileID, line: line))
    return try await placedWait(
      options,
      by: try options.begin(),
      in: { reply in try start(reply, options, in: operation) },
      onCancel: cancel,
      onDiscard: discard
    )
  }
}
