extension PendingCalls {
  /// The same for an SDK that is called with `await`.
  ///
  /// ```swift
  /// let reply = try await replies.value(for: request.id, timeout: .seconds(5)) {
  ///   try await connection.send(request)
  /// }
  /// ```
  ///
  /// A cancellation and a timeout cancel `operation`, and the call waits until that has ended: there they are as
  /// prompt as `operation` listens to them. From its return on they are as prompt as ever. An answer may come before
  /// it returns.
  ///
  /// - Parameters:
  ///   - id: What the answer is found by: no other call that waits may have it.
  ///   - response: What to do when the task is cancelled, or the time is up, before the answer.
  ///   - timeout: How long `operation` and the answer may take together; `nil` for as long as they like.
  ///   - isolation: The caller's actor.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - operation: Calls the SDK and returns what `onCancel` needs, or nothing. Runs where it would with
  ///     `Task { … }`, in a task of its own, which the call waits for.
  ///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's actor, at
  ///     most once, only after `operation` returned. With ``CancellationResponse/abandonCallback`` the id is free by
  ///     then.
  ///   - discard: Closes or frees a value that was brought for this call, and that it does not return. Runs on the
  ///     thread that brought it, or on the caller's actor if the task had received it already.
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
      begin: { try add($0, for: id, terms.callSite) },
      operation,
      named: { place, request in PendingRequest(place, request) },
      failed: { table.remove($0) },
      onCancel: cancel,
      onDiscard: Disconnected.opening(discard)
    )
  }

  /// The same for an SDK that is called with `await`, and returns the id.
  ///
  /// ```swift
  /// let reply = try await replies.value {
  ///   try await connection.start(request)
  /// } onCancel: { id in
  ///   connection.cancel(id)
  /// }
  /// ```
  ///
  /// As `value(for:)`. The answers that come
  /// before `operation` has returned are kept until then.
  ///
  /// - Parameters:
  ///   - response: What to do when the task is cancelled, or the time is up, before the answer.
  ///   - timeout: How long `operation` and the answer may take together; `nil` for as long as they like.
  ///   - isolation: The caller's actor.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - operation: Calls the SDK and returns the id. Runs where it would with `Task { … }`, in a task of its own,
  ///     which the call waits for.
  ///   - cancel: Tells the SDK to stop. It receives the id, and runs on the caller's actor, at most once, only after
  ///     `operation` returned. With ``CancellationResponse/abandonCallback`` the id is free by then.
  ///   - discard: Closes or frees a value that was brought for this call, and that it does not return. Runs on the
  ///     thread that brought it, or on the caller's actor if the task had received it already.
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
      begin: { try table.begin($0.erased(), terms.callSite) },
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

  /// What both have in common: a call is begun, sent and named, and then waits.
  @usableFromInline
  func sent<Call, Request: Sendable>(
    _ terms: Terms,
    isolation: isolated (any Actor)? = #isolation,
    begin: (Reply<Answer>) throws -> Call,
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Request,
    named: (Call, Request) throws -> PendingRequest<Request>,
    failed: (Call) -> Void,
    onCancel cancel: (Request) -> Void,
    onDiscard discard: (@Sendable (Disconnected<Value>) -> Void)?
  ) async throws -> sending Value {
    if let cause = terms.causeNotToBegin() { throw terms.error(for: cause) }
    let deadline = terms.timeout?.begin()
    let discardAnswer: (@Sendable (Answer) -> Void)? = onlyValues(to: discard)
    let reply = Reply(ReplyContents<Answer>(terms.callSite, discardAnswer))
    let call = try begin(reply)
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
      reply.refuse()
      throw error
    }
    let outcome = await outcome(
      of: go(on: reply, pending, makeWait: Wait(response: terms.response)),
      by: deadline,
      onCancel: { forward($0, terms.response, to: cancel) },
      onDiscard: discardAnswer
    )
    return try open(try deliver(outcome, terms, onDiscard: discard), terms)
  }
}

/// Calls the SDK in a task of its own, which is itself a bridged call: a cancellation or a timeout cancels it, and its
/// result is waited for.
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
