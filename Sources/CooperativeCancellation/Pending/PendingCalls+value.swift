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
  /// Calls an SDK whose answer comes by an id, and waits for it.
  ///
  /// ```swift
  /// let reply = try await replies.value(for: request.id, timeout: .seconds(5)) {
  ///   socket.write(request)
  /// } onCancel: {
  ///   socket.write(.cancel(request.id))
  /// }
  /// ```
  ///
  /// Returns the value that `resume(_:returning:)` brings. Throws the error that is brought, what
  /// `operation` throws, `CancellationError`, ``TimeoutError``, the error of ``close(throwing:)``, or
  /// ``AlreadyPendingError`` without calling the SDK if another call has the id.
  ///
  /// All ten guarantees of <doc:Contract> hold, as <doc:Contract#Pending-calls> says.
  ///
  /// - Parameters:
  ///   - id: What the answer is found by: no other call that waits may have it.
  ///   - response: What to do when the task is cancelled, or the time is up, before the answer.
  ///   - timeout: How long the answer may take, counted from before `operation`; `nil` for as long as it likes.
  ///     With zero or less the SDK is not called.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - operation: Calls the SDK and returns what `onCancel` needs, or nothing. Runs on the caller's actor, at
  ///     once. The answer may come before it returns.
  ///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's actor, in
  ///     the waiting task, at most once. With ``CancellationResponse/abandonCallback`` the id is free by then.
  ///   - discard: Closes or frees a value that was brought for this call, and that it does not return. Runs on the
  ///     thread that brought it, or on the caller's actor if the task had received it already.
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
    let disconnected = try await throwingBridge(
      terms,
      in: { (reply: Reply<Answer>) in
        let place = try add(reply, for: id, terms.callSite)
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

  /// Calls an SDK that returns the id by which its answer comes, and waits for it.
  ///
  /// ```swift
  /// let reply = try await replies.value {
  ///   sdk.start(request)
  /// } onCancel: { id in
  ///   sdk.cancel(id)
  /// }
  /// ```
  ///
  /// An answer that comes before `operation` has returned is kept until the id is known. Returns and throws what
  /// `value(for:)` does;
  /// ``AlreadyPendingError`` here when the SDK has been called, because only then is the id known.
  ///
  /// All ten guarantees of <doc:Contract> hold, as <doc:Contract#Pending-calls> says.
  ///
  /// - Parameters:
  ///   - response: What to do when the task is cancelled, or the time is up, before the answer.
  ///   - timeout: How long the answer may take, counted from before `operation`; `nil` for as long as it likes.
  ///     With zero or less the SDK is not called.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - operation: Calls the SDK and returns the id. Runs on the caller's actor, at once.
  ///   - cancel: Tells the SDK to stop. It receives the id, and runs on the caller's actor, in the waiting task, at
  ///     most once. With ``CancellationResponse/abandonCallback`` the id is free by then.
  ///   - discard: Closes or frees a value that was brought for this call, and that it does not return. Runs on the
  ///     thread that brought it, or on the caller's actor if the task had received it already.
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
    let disconnected = try await throwingBridge(
      terms,
      in: { (reply: Reply<Answer>) in
        let call = try table.begin(reply.erased(), terms.callSite)
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
  @inlinable
  func add(_ reply: Reply<Answer>, for id: ID, _ callSite: CallSite) throws -> CallTable.Place {
    try table.add(reply.erased(), id: AnyID(id), isEqual: { $0.equals(id) }, callSite)
  }

  /// Gives a call that was begun its id. If its answer is there already, it has it now.
  @usableFromInline
  func name(_ call: CallTable.Started, _ id: ID, _ callSite: CallSite) throws {
    let (name, unclaimed) = table.name(call, AnyID(id), isEqual: { $0.equals(id) })
    if case .answered(let call, let other) = name, let answer: Answer = take(from: other) {
      (typed(call) as Reply<Answer>?)?.answer(answer)
    }
    pass(unclaimed)
    if case .taken = name { throw AlreadyPendingError(callSite: callSite) }
  }

  /// Forwards a cancel or a timeout. The id is free by then, unless the answer is waited for.
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
