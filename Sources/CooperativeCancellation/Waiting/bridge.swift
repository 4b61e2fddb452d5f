// One bridged call, from start to end:
//
//   operation(completion) ─▶ answered already? ──────────────────────────────┐
//                            sleep ─▶ answered? ─────────────────────────────┤
//                              ▲      interrupted? ─▶ onCancel(request)      ▼
//                              │                      ├─ .abandonCallback ─▶ end
//                              └──────────────────────┘
//
// `operation` runs before anything suspends, and `onCancel` in the resumed task. Both run on the caller's actor,
// never inside the runtime's cancellation handler. The handler runs under the task's status lock; an SDK that
// calls back while holding the lock its `cancel()` takes would deadlock.

/// The state of a call when `operation` has returned.
@usableFromInline
package enum StartedCall<Answer: Sendable, Request: ~Copyable>: ~Copyable {
  case finished(Answer)
  case waiting(Wait, Request)
}

/// Runs `operation`, which passes the SDK a completion closure that owns the reply.
///
/// A separate synchronous function, so that it releases the reply before the task sleeps. From then on, only the
/// completion closure owns the reply: dropping the closure destroys the reply.
@inlinable
@inline(__always)
package func start<Answer: Sendable, Request: ~Copyable, Failure: Error>(
  _ makeReply: @autoclosure () -> Reply<Answer>,
  makeWait: @autoclosure () -> Wait,
  in operation: (Reply<Answer>) throws(Failure) -> Request
) throws(Failure) -> StartedCall<Answer, Request> {
  let reply = makeReply()
  let request: Request
  do {
    request = try operation(reply)
  } catch {
    reply.operationThrew()
    throw error
  }
  if let answer = reply.take() { return .finished(answer) }
  let wait = makeWait()
  if let answer = reply.takeOrAwait(by: wait) { return .finished(answer) }
  return .waiting(wait, request)
}

/// How a call ended.
@usableFromInline
enum CallOutcome<Answer: Sendable>: Sendable {
  case answered(Answer)
  case dropped
  case interrupted(Interruption)
}

/// Calls the SDK, waits, and forwards a cancellation or timeout. Discards an answer that it does not return.
@inlinable
@inline(__always)
nonisolated(nonsending) func bridge<Answer: Sendable, Request: ~Copyable, Failure: Error>(
  _ terms: Terms,
  reportsDrop: Bool = false,
  in operation: (Reply<Answer>) throws(Failure) -> Request,
  onCancel cancel: (borrowing Request) -> Void,
  onDiscard discard: (@Sendable (Answer) -> Void)?
) async throws(Failure) -> CallOutcome<Answer> {
  if let cause = terms.causeNotToBegin() { return .interrupted(cause) }
  let deadline = terms.timeout?.begin()
  return await outcome(
    of: try start(
      Reply(terms.callSite, reportsDrop: reportsDrop, discard),
      makeWait: Wait(response: terms.response),
      in: operation
    ),
    at: terms.callSite,
    by: consume deadline,
    takeAnswer: { take(from: $0) },
    onCancel: cancel,
    onDiscard: discard
  )
}

/// Waits for a started call, and forwards a cancellation or timeout. `takeAnswer` takes the answer out of the reply or
/// the carrier.
///
/// Consumes its arguments: a sleeping task's frame keeps those that are not consumed.
@inlinable
@inline(__always)
nonisolated(nonsending) func outcome<Answer: Sendable, Request: ~Copyable>(
  of started: consuming StartedCall<Answer, Request>,
  at callSite: CallSite,
  by deadline: consuming Deadline?,
  takeAnswer: (AnyReply) -> Answer?,
  onCancel cancel: (borrowing Request) -> Void,
  onDiscard discard: (@Sendable (Answer) -> Void)?
) async -> CallOutcome<Answer> {
  switch started {
  case .finished(let answer):
    return .answered(answer)
  case .waiting(let wait, let request):
    return outcome(
      of: await wait.end(.call, callSite, by: deadline, onInterruption: { cancel(request) }),
      takeAnswer: takeAnswer,
      onDiscard: discard
    )
  }
}

/// Returns the outcome of a wait that has ended, and discards an answer that is not returned.
@inlinable
@inline(__always)
func outcome<Answer: Sendable>(
  of end: WaitMachine.End,
  takeAnswer: (AnyReply) -> Answer?,
  onDiscard discard: (@Sendable (Answer) -> Void)?
) -> CallOutcome<Answer> {
  switch end {
  case .answered(let reply):
    return takeAnswer(reply).map { .answered($0) } ?? .dropped
  case .dropped:
    return .dropped
  case .interrupted(let cause, let reply):
    if let reply, let answer = takeAnswer(reply) { discard?(answer) }
    return .interrupted(cause)
  }
}

/// Bridges, checks after, and returns the value or throws.
@inlinable
@inline(__always)
nonisolated(nonsending) func throwingBridge<Value: Sendable, Request: ~Copyable>(
  _ terms: Terms,
  in operation: (Reply<Result<Value, any Error>>) throws -> Request,
  onCancel cancel: (borrowing Request) -> Void,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async throws -> Value {
  try deliver(
    try await bridge(terms, in: operation, onCancel: cancel, onDiscard: onlyValues(to: discard)),
    terms,
    onDiscard: discard
  )
}

/// Checks after, and returns the value or throws.
@inlinable
@inline(__always)
func deliver<Value: Sendable>(
  _ outcome: consuming CallOutcome<Result<Value, any Error>>,
  _ terms: Terms,
  onDiscard discard: (@Sendable (Value) -> Void)?
) throws -> Value {
  switch outcome {
  case .answered(.success(let value)):
    if terms.response.checksAfter, Task.isCancelled {
      discard?(value)
      throw cancellationError()
    }
    return value
  case .answered(.failure(let error)):
    throw error
  case .dropped:
    throw droppedCompletionError(terms.callSite)
  case .interrupted(let cause):
    throw terms.error(for: cause)
  }
}

/// Bridges, checks after, and returns the fallback where a throwing bridge would throw.
@inlinable
@inline(__always)
nonisolated(nonsending) func fallbackBridge<Value: Sendable, Request: ~Copyable>(
  _ terms: Terms,
  fallback: Value,
  in operation: (Reply<Value>) -> Request,
  onCancel cancel: (borrowing Request) -> Void,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async -> Value {
  switch await bridge(
    terms,
    reportsDrop: true,
    in: operation,
    onCancel: cancel,
    onDiscard: discard
  ) {
  case .answered(let value):
    if terms.response.checksAfter, Task.isCancelled {
      discard?(value)
      return fallback
    }
    return value
  case .dropped, .interrupted:
    return fallback
  }
}

/// Waits for the SDK's value, and ignores cancellation.
///
/// After a dropped completion, the wait ends only if it waits for `Void`, whose value is known.
@inlinable
@inline(__always)
nonisolated(nonsending) func unconditionalBridge<Value: Sendable, Request: ~Copyable>(
  _ callSite: CallSite,
  in operation: (Reply<Value>) -> Request,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async -> Value {
  switch start(
    Reply(callSite, reportsDrop: true, discard),
    makeWait: Wait(response: .ignoreCancellation),
    in: operation
  ) {
  case .finished(let value):
    return value
  case .waiting(let wait, let request):
    while true {
      // Nothing interrupts it; the closure keeps the request until the end.
      let end = await wait.end(.call, callSite, by: nil) { withExtendedLifetime(request) {} }
      if case .answered(let reply) = end, let value: Value = take(from: reply) { return value }
      // Dropped.
      if Value.self == Void.self, let done = () as? Value { return done }
    }
  }
}
