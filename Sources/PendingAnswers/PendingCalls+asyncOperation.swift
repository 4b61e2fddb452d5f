public import CancellationInternals
public import CooperativeCancellation

extension PendingCalls {
  /// Calls an asynchronous SDK whose answer arrives by id, and waits for the answer.
  ///
  /// ```swift
  /// return try await replies.value(inTaskFor: id, timeout: .seconds(5)) { [socket] in
  ///   try await socket.send(id, text)
  /// } onCancel: { [socket] in
  ///   socket.write(id, "cancel")
  /// }
  /// ```
  ///
  /// `operation` runs in its own task, and the call does not wait for it: an answer, ``close(throwing:)``, a
  /// cancellation or a timeout ends the call, and cancels a task that is still running. Let it end soon after that; it
  /// may outlive the call, on the caller's actor. Its error ends the call, unless the answer was first.
  ///
  /// Results and parameters are those of the form with a synchronous `operation`, but `timeout` covers `operation` and
  /// the answer together. Both closures run as in `Task { … }`, on the caller's actor.
  ///
  /// ## Cancellation
  ///
  /// While `operation` is running, a cancellation or a timeout cancels its task. If it then throws `CancellationError`,
  /// the call ends, even if it would otherwise wait for the SDK's answer. If it returns anyway, `onCancel` runs then,
  /// perhaps after the call; also if the answer came first, and its value is withheld. The id is taken until
  /// `operation` has thrown or `onCancel` has returned.
  @_alwaysEmitIntoClient
  public func value<Request: Sendable>(
    inTaskFor id: ID,
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext in operation:
      @escaping @isolated(any) @Sendable () async throws -> Request,
    @_inheritActorContext onCancel cancel:
      @escaping @isolated(any) @Sendable (Request) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let options = CallOptions.options(response, timeout, CallSite(fileID: fileID, line: line))
    let deadline = try options.begin()
    let ticket = sharing == nil ? nil : try await turn(of: id, options, by: deadline)
    let wait = Wait(response: response)
    let number = try begin(wait, id, ticket, options.callSite, discard)
    let send = AsyncOperation(operation, onCancel: cancel) { [self] in
      leave(id, number, hasFailed: false, response)
    }
    let task = Task {
      // Captured, so that the task begins there.
      _ = isolation
      await send.run { fail(id, number, $0) }
    }
    let (kind, callSite) = (WaitingCall.Kind.pendingCall(id: id), options.callSite)
    let end = await wait.end(kind, callSite, by: deadline, isolation: isolation) {
      await send.interrupt(task)
    }
    let outcome = CallOutcome(pending: end, onDiscard: discard)
    // `operation` may still run, or have begun nothing, so to tell the SDK may take longer than the call.
    var isTold = false
    let checked = outcome.checkedAfter(
      options,
      hold: { hold(id, number) },
      onCancel: { isTold = true },
      read: { hasRead(id, number) },
      onDiscard: Discarding.onlyValues(to: discard)
    )
    if isTold { await send.interrupt(task) }
    task.cancel()
    return try checked.deliver(options)
  }

  /// An asynchronous `operation` threw, or stopped because its task was cancelled.
  @_alwaysEmitIntoClient
  func fail(_ id: ID, _ number: Int, _ error: (any Error)?) {
    let event = error.map {
      WaitMachine.FinalEvent.answered(in: carrier(of: PendingAnswer<Value>.failure($0)))
    }
    if sharing != nil {
      return _ = perform(in: id) { $0.stop(number, event ?? .stopped) }
    }
    if case .call(let call, _) = registry.extract({ $0.fail(id, number, event ?? .stopped) }) {
      call.wake()
    }
  }
}
