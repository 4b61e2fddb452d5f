/// A call of ``PendingCalls``, and what its `onCancel` needs.
@frozen
@usableFromInline
struct PendingRequest<Request> {
  @usableFromInline let place: CallTable.Place
  @usableFromInline let request: Request

  @inlinable
  init(_ place: CallTable.Place, _ request: Request) {
    self.place = place
    self.request = request
  }
}

extension PendingCalls {
  /// Calls an SDK whose answer arrives by id, and waits for it.
  ///
  /// ```swift
  /// let reply = try await replies.value(for: request.id, timeout: .seconds(30)) {
  ///   socket.write(request)
  /// } onCancel: {
  ///   socket.write(.cancel(request.id))
  /// }
  /// ```
  ///
  /// Returns the value passed to `resume(_:returning:)`. Throws the error passed to `resume(_:throwing:)` or
  /// ``close(throwing:)``, the error of `operation`, `CancellationError`, ``TimeoutError``, or, without
  /// calling the SDK, ``AlreadyPendingError``. See <doc:Contract#Pending-calls>.
  ///
  /// - Parameters:
  ///   - id: Identifies the answer. No other waiting call may have it.
  ///   - response: What to do when the task is cancelled or the call times out before the answer.
  ///   - timeout: How long the answer may take, counted from before `operation`; `nil` for no limit.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - operation: Calls the SDK and returns what `onCancel` needs, or nothing. Runs on the caller's actor,
  ///     at once.
  ///   - cancel: Tells the SDK to stop. Receives what `operation` returned; runs on the caller's actor, at
  ///     most once.
  ///   - discard: Closes or frees a value that this call took and does not return. Runs on the caller's
  ///     actor.
  @inlinable
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
    let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
    let disconnected: Disconnected<Value> = try await pendingBridge(
      terms,
      in: { wait in
        let place = try table.add(wait, id: HashedID(id), terms.callSite)
        do {
          return PendingRequest(place, try operation())
        } catch {
          table.remove(place)
          throw error
        }
      },
      onCancel: { forward($0, response, to: cancel) },
      onDiscard: Disconnected.opening(discard)
    )
    return try open(disconnected, terms)
  }

  /// Calls an SDK that returns the id of its answer, and waits for the answer.
  ///
  /// ```swift
  /// let reply = try await replies.value {
  ///   sdk.start(request)
  /// } onCancel: { id in
  ///   sdk.cancel(id)
  /// }
  /// ```
  ///
  /// An answer that arrives before `operation` returns is kept until the id is known. Returns and throws as
  /// the form with an id does, but can throw ``AlreadyPendingError`` only after the SDK has been called. See
  /// <doc:Contract#Pending-calls>.
  ///
  /// - Parameters:
  ///   - response: What to do when the task is cancelled or the call times out before the answer.
  ///   - timeout: How long the answer may take, counted from before `operation`; `nil` for no limit.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - operation: Calls the SDK and returns the id. Runs on the caller's actor, at once.
  ///   - cancel: Tells the SDK to stop. Receives the id; runs on the caller's actor, at most once.
  ///   - discard: Closes or frees a value that this call took and does not return. Runs on the caller's
  ///     actor.
  @inlinable
  nonisolated(nonsending) public func value(
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> ID,
    onCancel cancel: (ID) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
    let disconnected: Disconnected<Value> = try await pendingBridge(
      terms,
      in: { wait in
        let call = try table.begin(wait, terms.callSite)
        let id: ID
        do {
          id = try operation()
        } catch {
          pass(table.fail(call))
          throw error
        }
        try name(call, id, terms.callSite)
        return PendingRequest(call.place, id)
      },
      onCancel: { forward($0, response, to: cancel) },
      onDiscard: Disconnected.opening(discard)
    )
    return try open(disconnected, terms)
  }
}

extension PendingCalls {
  /// Gives a starting call its id, and its answer if that has already arrived.
  @usableFromInline
  func name(_ call: CallTable.Started, _ id: ID, _ callSite: CallSite) throws {
    let (isTaken, unclaimed) = table.name(call, HashedID(id))
    pass(unclaimed)
    if isTaken { throw AlreadyPendingError(callSite: callSite) }
  }

  /// Forwards a cancellation or a timeout. With `.abandonCallback` it frees the id first.
  @inlinable
  func forward<Request>(
    _ pending: PendingRequest<Request>,
    _ response: CancellationResponse,
    to cancel: (Request) -> Void
  ) {
    if response == .abandonCallback { table.remove(pending.place) }
    cancel(pending.request)
  }

  @inlinable
  func open(_ disconnected: Disconnected<Value>, _ terms: Terms) throws -> sending Value {
    guard let value = disconnected.open() else { throw MissingValueError(callSite: terms.callSite) }
    return value
  }
}
