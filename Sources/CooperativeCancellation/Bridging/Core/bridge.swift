// One bridged call, from start to end:
//
//   operation(completion) ─▶ answered already? ──────────────────────────────┐
//                            sleep ─▶ answered? ─────────────────────────────┤
//                              ▲      interrupted? ─▶ onCancel(request)      ▼
//                              │                      ├─ .abandonCallback ─▶ end
//                              └──────────────────────┘
//
// `operation` runs before anything suspends, and `onCancel` in the resumed task: both on the caller's
// actor, and never inside the runtime's cancellation handler. That one runs under a lock of the task's,
// with which an SDK that calls back under the lock that its `cancel()` takes would deadlock.

/// Where a call is once `operation` has returned.
@usableFromInline
enum Started<Answer: Sendable, Request> {
  case answered(Answer)
  case waiting(Shared<Wait<Answer>>, Request)
}

/// Runs `operation`, which hands the SDK a completion closure that owns the reply.
///
/// A function of its own, and not asynchronous, because it must let go of the reply before the task
/// sleeps: from then on only the completion closure owns it, so that to drop the one is to destroy the
/// other.
@inlinable
func start<Answer: Sendable, Request, Failure: Error>(
  _ reply: consuming Reply<Answer>,
  whenCancelled response: CancellationResponse,
  in operation: (Shared<Reply<Answer>>) throws(Failure) -> Request
) throws(Failure) -> Started<Answer, Request> {
  let reply = Shared(reply)
  let request: Request
  do {
    request = try operation(reply)
  } catch {
    reply.contents.refuse()
    throw error
  }
  if let answer = reply.contents.takeEarly() { return .answered(answer) }
  let wait = Shared(Wait<Answer>(response: response))
  reply.contents.forward(to: wait)
  return .waiting(wait, request)
}

/// How a call ended.
@usableFromInline
enum Outcome<Answer: Sendable>: Sendable {
  case answered(Answer)
  case dropped
  case interrupted(Interruption)
}

/// Calls, waits, and forwards a cancel or a timeout.
///
/// What it does not return it has discarded.
@inlinable
nonisolated(nonsending) func bridge<Answer: Sendable, Request, Failure: Error>(
  _ terms: Terms,
  in operation: (Shared<Reply<Answer>>) throws(Failure) -> Request,
  onCancel cancel: (Request) -> Void,
  onDiscard discard: (@Sendable (Answer) -> Void)?
) async throws(Failure) -> Outcome<Answer> {
  if Task.isCancelled { return .interrupted(.cancelled) }
  var deadline: Deadline?
  if let timeout = terms.timeout {
    if timeout <= .zero { return .interrupted(.timedOut) }
    deadline = Deadline(after: timeout, on: terms.clock)
  }
  let response = terms.response
  let reply = Reply(terms.callSite, onDiscard: discard)
  switch try start(reply, whenCancelled: response, in: operation) {
  case .answered(let answer):
    return .answered(answer)
  case .waiting(let wait, let request):
    let timer = deadline?.interrupt(wait)
    defer { timer?.cancel() }
    var interruption: Interruption?
    while true {
      switch await wait.nextEvent() {
      case .interrupted(let cause):
        cancel(request)
        if response == .abandonCallback { return .interrupted(cause) }
        interruption = cause
      case .answered(let answer):
        guard let interruption, response == .waitForCallback else { return .answered(answer) }
        discard?(answer)
        return .interrupted(interruption)
      case .dropped:
        guard let interruption, response == .waitForCallback else { return .dropped }
        return .interrupted(interruption)
      }
    }
  }
}

/// Bridges, checks after, and throws what there is to throw.
@inlinable
nonisolated(nonsending) func throwingBridge<Value: Sendable, Request>(
  _ terms: Terms,
  in operation: (Shared<Reply<Result<Value, any Error>>>) throws -> Request,
  onCancel cancel: (Request) -> Void,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async throws -> Value {
  switch try await bridge(
    terms,
    in: operation,
    onCancel: cancel,
    onDiscard: onlyValues(to: discard)
  )
  {
  case .answered(.success(let value)):
    if terms.response != .deliverResult, Task.isCancelled {
      discard?(value)
      throw CancellationError()
    }
    return value
  case .answered(.failure(let error)):
    throw error
  case .dropped:
    throw DroppedCompletionError(callSite: terms.callSite)
  case .interrupted(.cancelled):
    throw CancellationError()
  case .interrupted(.timedOut):
    throw TimeoutError(duration: terms.timeout ?? .zero, callSite: terms.callSite)
  }
}

/// Bridges, checks after, and has a fallback for whatever a throwing bridge throws.
@inlinable
nonisolated(nonsending) func fallbackBridge<Value: Sendable, Request>(
  _ terms: Terms,
  fallback: Value,
  in operation: (Shared<Reply<Value>>) -> Request,
  onCancel cancel: (Request) -> Void,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async -> Value {
  switch await bridge(terms, in: operation, onCancel: cancel, onDiscard: discard) {
  case .answered(let value):
    if terms.response != .deliverResult, Task.isCancelled {
      discard?(value)
      return fallback
    }
    return value
  case .dropped:
    MisuseReport.send(.completionDropped, terms.callSite)
    return fallback
  case .interrupted:
    return fallback
  }
}

/// Waits for the SDK's value, whatever happens: there is nothing else to return.
///
/// A dropped completion is reported; then the wait ends only if there is a value for that case, as for
/// `Void`.
@inlinable
nonisolated(nonsending) func unconditionalBridge<Value: Sendable, Request>(
  _ callSite: CallSite,
  ifDropped valueIfDropped: Value?,
  in operation: (Shared<Reply<Value>>) -> Request,
  onCancel cancel: (Request) -> Void,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async -> Value {
  let reply = Reply(callSite, onDiscard: discard)
  switch start(reply, whenCancelled: .deliverResult, in: operation) {
  case .answered(let value):
    return value
  case .waiting(let wait, let request):
    while true {
      switch await wait.nextEvent() {
      case .interrupted:
        cancel(request)
      case .answered(let value):
        return value
      case .dropped:
        MisuseReport.send(.completionDropped, callSite)
        if let valueIfDropped { return valueIfDropped }
      }
    }
  }
}
