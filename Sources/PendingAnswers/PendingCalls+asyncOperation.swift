internal import CancellationInternals
public import CooperativeCancellation

extension PendingCalls {
  /// Calls an asynchronous SDK whose answer arrives by id, and waits for the answer.
  ///
  /// ```swift
  /// return try await replies.value(forSending: id, timeout: .seconds(5)) { [socket] in
  ///   try await socket.send(id, text)
  /// } onCancel: { [socket] in
  ///   socket.write(id, "cancel")
  /// }
  /// ```
  ///
  /// `operation` runs in its own task, and the call does not wait for it: an answer,
  /// ``close(throwing:)``, a cancellation or a timeout ends the call, and cancels a task that is
  /// still running. `operation` should end soon after its task is cancelled. It may outlive the
  /// call, on the caller's actor. Its error ends the call, unless the answer was first.
  ///
  /// Results and parameters are those of the form with a synchronous `operation`, but `timeout`
  /// covers `operation` and the answer together. Both closures run as in `Task { … }`, on the
  /// caller's actor.
  ///
  /// Not for calls with one id and ``TakenIDPolicy/answerInOrder``: two operations may reach the
  /// SDK in another order than that of the calls, and get each other's answers.
  ///
  /// ## Cancellation
  ///
  /// While `operation` is running, a cancellation or a timeout cancels its task. If it then throws
  /// `CancellationError`, the call ends, even if it would otherwise wait for the SDK's answer. If
  /// it returns anyway, `onCancel` runs then, perhaps after the call; also if the answer came
  /// first, and its value is withheld. The id is taken until `operation` has thrown or `onCancel`
  /// has returned. When `operation` has returned before, the call ends after `onCancel`: an
  /// `onCancel` of another actor delays it while that actor is busy.
  @_alwaysEmitIntoClient
  public func value<Request: Sendable>(
    forSending id: ID,
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
    let discardAnswer =
      Discarding.onlyValues(to: discard ?? self.discard) as Discard<PendingAnswer<Value>>?
    let started = try StartedCall.start(
      Reply(options.callSite, discardAnswer),
      makeWait: Wait(response: response),
      in: { reply in
        let number = try begin(reply, id, ticket, options)
        let operation = AsyncOperation(operation, onCancel: cancel) { [self] in
          hasForwarded(id, number, isAbandoned: response.endsAtOnce)
        }
        let task = Task {
          // Captured, so that the task begins there.
          _ = isolation
          await operation.run { fail(id, number, $0) }
        }
        return Placed(id: id, number: number, request: (operation: operation, task: task))
      }
    )
    let outcome: CallOutcome<PendingAnswer<Value>>
    let place: Placed<ID, (operation: AsyncOperation<Request>, task: Task<Void, Never>)>
    switch consume started {
    case .finished(let answer, let placed):
      place = placed
      outcome = .answered(answer)
    case .waiting(let wait, let placed):
      place = placed
      let end = await wait.sleepUntilEndForwardingOnActor(
        .pendingCall(id: id),
        options.callSite,
        by: deadline,
        isolation: isolation
      ) {
        await placed.request.operation.interrupt(placed.request.task)
      }
      outcome = CallOutcome(of: end, takeAnswer: { Reply.take(from: $0) }, onDiscard: discardAnswer)
    }
    let (operation, task) = place.request
    let checked: CallOutcome<PendingAnswer<Value>>
    switch consume outcome {
    case .answered(let answer) where response.checksAfter && answer.isSuccess:
      if Task.isCancelled, hold(id, place.number) {
        // `operation` may still run, so to tell the SDK may take longer than the call.
        await operation.interrupt(task)
        discardAnswer?(consume answer)
        checked = .interrupted(.cancelled)
      } else {
        hasRead(id, place.number)
        checked = .answered(answer)
      }
    case .answered(let answer):
      checked = .answered(answer)
    case .dropped:
      checked = .dropped
    case .interrupted(let cause):
      checked = .interrupted(cause)
    }
    task.cancel()
    return try checked.deliver(options)
  }
}
