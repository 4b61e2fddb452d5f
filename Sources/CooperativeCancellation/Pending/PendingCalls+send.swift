extension PendingCalls {
  /// Calls an asynchronous SDK whose answer arrives by id, and waits for it.
  ///
  /// ```swift
  /// let reply = try await replies.value(for: request.id, timeout: .seconds(30)) {
  ///   try await connection.send(request)
  /// }
  /// ```
  ///
  /// A cancellation or a timeout cancels `operation`, and the call waits for `operation` to end. After
  /// `operation` has returned, the call ends at once. The answer may arrive before `operation` returns.
  ///
  /// - Parameters:
  ///   - id: Identifies the answer. No other waiting call may have it.
  ///   - response: What to do when the task is cancelled or the call times out before the answer.
  ///   - timeout: How long `operation` and the answer may take together; `nil` for no limit.
  ///   - isolation: The caller's actor.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - operation: Calls the SDK and returns what `onCancel` needs, or nothing. Runs as in `Task { … }`, in
  ///     a task of its own.
  ///   - cancel: Tells the SDK to stop. Receives what `operation` returned; runs on the caller's actor, at
  ///     most once, after `operation` has returned.
  ///   - discard: Closes or frees a value that this call took and does not return. Runs on the caller's
  ///     actor.
  @inlinable
  @_disfavoredOverload
  public func value<Request: Sendable>(
    for id: ID,
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext in operation:
      @escaping @isolated(any) @Sendable () async throws -> Request,
    onCancel cancel: (Request) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
    return try await sent(
      terms,
      begin: { try table.add($0, id: HashedID(id), terms.callSite) },
      operation,
      named: { place, request in PendingRequest(place, request) },
      failed: { table.remove($0) },
      onCancel: cancel,
      onDiscard: Disconnected.opening(discard)
    )
  }

  /// Calls an asynchronous SDK that returns the id of its answer, and waits for the answer.
  ///
  /// ```swift
  /// let reply = try await replies.value {
  ///   try await connection.start(request)
  /// } onCancel: { id in
  ///   connection.cancel(id)
  /// }
  /// ```
  ///
  /// Cancellation works as for the form with an id. Answers that arrive before `operation` returns are kept
  /// until then.
  ///
  /// - Parameters:
  ///   - response: What to do when the task is cancelled or the call times out before the answer.
  ///   - timeout: How long `operation` and the answer may take together; `nil` for no limit.
  ///   - isolation: The caller's actor.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - operation: Calls the SDK and returns the id. Runs as in `Task { … }`, in a task of its own.
  ///   - cancel: Tells the SDK to stop. Receives the id; runs on the caller's actor, at most once, after
  ///     `operation` has returned.
  ///   - discard: Closes or frees a value that this call took and does not return. Runs on the caller's
  ///     actor.
  @inlinable
  @_disfavoredOverload
  public func value(
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext in operation:
      @escaping @isolated(any) @Sendable () async throws -> ID,
    onCancel cancel: (ID) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
    return try await sent(
      terms,
      begin: { try table.begin($0, terms.callSite) },
      operation,
      named: { call, id in
        try name(call, id, terms.callSite)
        return PendingRequest(call.place, id)
      },
      failed: { pass(table.fail($0)) },
      onCancel: cancel,
      onDiscard: Disconnected.opening(discard)
    )
  }

  /// The common part: begins a call, sends it, names it, and waits.
  @usableFromInline
  func sent<Call, Request: Sendable>(
    _ terms: Terms,
    isolation: isolated (any Actor)? = #isolation,
    begin: (Wait) throws -> Call,
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Request,
    named: (Call, Request) throws -> PendingRequest<Request>,
    failed: (Call) -> Void,
    onCancel cancel: (Request) -> Void,
    onDiscard discard: (@Sendable (Disconnected<Value>) -> Void)?
  ) async throws -> sending Value {
    if let cause = terms.causeNotToBegin() { throw terms.error(for: cause) }
    let deadline = terms.timeout?.begin()
    let discardAnswer: (@Sendable (Answer) -> Void)? = onlyValues(to: discard)
    let wait = Wait(response: terms.response)
    let call = try begin(wait)
    let pending: PendingRequest<Request>
    do {
      let request: Request
      do {
        request = try await send(terms, by: deadline, operation)
      } catch {
        failed(call)
        throw error
      }
      pending = try named(call, request)
    } catch {
      wait.refuse(onDiscard: discardAnswer)
      throw error
    }
    let outcome = await outcome(
      of: .waiting(wait, pending),
      by: deadline,
      takeAnswer: { carried(by: $0) },
      onCancel: { forward($0, terms.response, to: cancel) },
      onDiscard: discardAnswer
    )
    return try open(try deliver(outcome, terms, onDiscard: discard), terms)
  }
}

/// Calls the SDK in a task of its own and waits for the result. A cancellation or a timeout cancels that
/// task.
private func send<Request: Sendable>(
  _ terms: Terms,
  by deadline: Deadline?,
  isolation: isolated (any Actor)? = #isolation,
  _ operation: @escaping @isolated(any) @Sendable () async throws -> Request
) async throws -> Request {
  let contents = ReplyContents<Result<Request, any Error>>(terms.callSite, nil)
  let started = start(contents, makeWait: Wait(response: .deliverResult)) { reply in
    Task {
      // Captured, so that the task begins there.
      _ = isolation
      do {
        reply.answer(.success(try await operation()))
      } catch {
        reply.answer(.failure(error))
      }
    }
  }
  var isTimedOut = false
  let outcome = await outcome(
    of: started,
    by: deadline,
    takeAnswer: { take(from: $0) },
    onCancel: { task in
      isTimedOut = !Task.isCancelled
      task.cancel()
    },
    onDiscard: nil
  )
  do {
    return try deliver(outcome, terms.responding(with: .deliverResult), onDiscard: nil)
  } catch {
    throw isTimedOut ? terms.error(for: .timedOut) : error
  }
}
