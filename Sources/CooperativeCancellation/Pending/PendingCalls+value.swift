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
      by: try terms.begin(),
      in: { wait in
        let number = try registry.extract { $0.add(wait, id) }.get(terms.callSite)
        do {
          return PendingRequest(number, try operation())
        } catch {
          _ = registry.extract { $0.remove(id, number) }
          throw error
        }
      },
      onCancel: { pending in
        cancel(pending.request)
        forwarded(id, pending.number, response)
      },
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
      by: try terms.begin(),
      in: { wait in
        let number = try registry.extract { $0.begin(wait) }.get(terms.callSite)
        let id: ID
        do {
          id = try operation()
        } catch {
          pass(registry.extract { $0.abandonStart(number) }.unclaimed)
          throw error
        }
        try name(wait, number, id, terms.callSite)
        return PendingRequest(number, id)
      },
      onCancel: { pending in
        cancel(pending.request)
        forwarded(pending.request, pending.number, response)
      },
      onDiscard: Disconnected.opening(discard)
    )
    return try open(disconnected, terms)
  }
}

extension PendingCalls {
  /// Gives a starting call its id, and its answer if that has already arrived.
  @inlinable
  func name(_ wait: Wait, _ number: Int, _ id: ID, _ callSite: CallSite) throws {
    let (name, unclaimed) = registry.extract { $0.name(number, id) }
    // It counts: the call's own task is here and has not been interrupted.
    if case .answered(let parked) = name { _ = wait.hear(.answered(in: parked.answer)) }
    pass(unclaimed)
    if case .taken = name { throw AlreadyPendingError(callSite: callSite) }
  }

  /// The call's `onCancel` has returned. Frees the id, unless the call waits for its answer.
  @inlinable
  func forwarded(_ id: ID, _ number: Int, _ response: CancellationResponse) {
    let isAbandoned = response == .abandonCallback
    _ = registry.extract { $0.forwarded(id, number, isAbandoned: isAbandoned) }
  }

  @inlinable
  func open(_ disconnected: Disconnected<Value>, _ terms: Terms) throws -> sending Value {
    guard let value = disconnected.open() else { throw MissingValueError(callSite: terms.callSite) }
    return value
  }
}
