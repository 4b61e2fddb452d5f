extension PendingCalls {
  /// Calls an asynchronous SDK whose answer arrives by id, and waits for the answer.
  ///
  /// ```swift
  /// return try await replies.value(for: id, timeout: .seconds(5)) { [socket] in
  ///   try await socket.send(id, text)
  /// } onCancel: { [socket] in
  ///   socket.write(id, "cancel")
  /// }
  /// ```
  ///
  /// `operation` runs in a task of its own, for which the call does not wait: an answer, ``close(throwing:)``, a
  /// cancellation or a timeout ends the call at once. If `operation` is still running then, its task is cancelled.
  /// Let it end soon after that; it may outlive the call, on the caller's actor. An error that it throws before the
  /// answer ends the call; a later one is dropped.
  ///
  /// Returns and throws as the form with a synchronous `operation` does.
  ///
  /// ## Cancellation
  ///
  /// While `operation` is running, a cancellation or a timeout cancels its task. If it then throws
  /// `CancellationError`, the call ends, even if it would wait for the SDK's answer. If it returns all the same,
  /// `onCancel` runs then, perhaps after the call has ended. The id is taken until `operation` has thrown or
  /// `onCancel` has returned, so that `onCancel` cannot reach another call.
  ///
  /// - Parameters:
  ///   - id: Identifies the answer. No other waiting call may have it.
  ///   - response: What to do when the task is cancelled or the call times out before the answer.
  ///   - timeout: How long `operation` and the answer may take together; `nil` for no limit.
  ///   - isolation: The caller's actor.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - operation: Calls the SDK and returns what `onCancel` needs, or nothing. Runs as in `Task { … }`, on the
  ///     caller's actor.
  ///   - cancel: Tells the SDK to stop, when the task is cancelled or the call times out. Receives what
  ///     `operation` returned; runs on the caller's actor, at most once.
  ///   - discard: Closes or frees a value that this call took and does not return. Runs on the caller's
  ///     actor.
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
    @_inheritActorContext onCancel cancel:
      @escaping @isolated(any) @Sendable (Request) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
    let deadline = try terms.begin()
    let wait = Wait(response: response)
    let number = try registry.locked { try $0.add(wait, id, terms.callSite) }
    let send = Send(operation, onCancel: cancel) { [self] in
      leave(id, number, isOver: response == .abandonCallback)
    }
    let task = Task {
      // Captured, so that the task begins there.
      _ = isolation
      await send.run { fail(id, number, $0) }
    }
    let end = await wait.end(by: deadline, isolation: isolation) { await send.interrupt(task) }
    task.cancel()
    return try deliver(end, terms, onDiscard: discard)
  }

  /// An asynchronous `operation` threw, or stopped because its task was cancelled.
  private func fail(_ id: ID, _ number: Int, _ error: (any Error)?) {
    let word = error.map {
      WaitMachine.LastWord.answered(in: carrier(of: PendingAnswer<Value>.failure($0)))
    }
    if case .call(let call, _) = registry.extract({ $0.fail(id, number, word ?? .stopped) }) {
      call.wake()
    }
  }
}
