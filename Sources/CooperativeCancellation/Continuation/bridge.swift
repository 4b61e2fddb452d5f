public import CancellationInternals

// One bridged call, from start to end:
//
//   operation(completion) ─▶ answered already? ──────────────────────────────┐
//                            sleep ─▶ answered? ─────────────────────────────┤
//                              ▲      interrupted? ─▶ onCancel(request)      ▼
//                              │                      ├─ .abandonCallback ─▶ end
//                              └──────────────────────┘                      │
//                                       a value, but cancelled? ◀────────────┘
//                                       └─▶ onCancel(request) ─▶ onDiscard(value)
//
// `operation` runs before anything suspends, and `onCancel` in the resumed task. Both run on the caller's actor,
// never inside the runtime's cancellation handler. The handler runs under the task's status lock; an SDK that
// calls back while holding the lock its `cancel()` takes would deadlock.

@usableFromInline package enum StartedCall<Answer: Sendable, Request: ~Copyable>: ~Copyable {
  case finished(Answer, Request)
  case waiting(Wait, Request)

  /// Runs `operation`, which passes the SDK a completion closure that owns the reply. A separate synchronous function,
  /// so that it releases the reply before the task sleeps: then only the closure owns it, and a drop destroys it.
  @_alwaysEmitIntoClient
  package static func start<Failure: Error>(
    _ makeReply: @autoclosure () -> Reply<Answer>,
    makeWait: @autoclosure () -> Wait,
    in operation: (Reply<Answer>) throws(Failure) -> Request
  ) throws(Failure) -> StartedCall {
    let reply = makeReply()
    let request: Request
    do {
      request = try operation(reply)
    } catch {
      reply.operationThrew()
      throw error
    }
    if let answer = reply.take() { return .finished(answer, request) }
    let wait = makeWait()
    if let answer = reply.takeOrAwait(by: wait) { return .finished(answer, request) }
    return .waiting(wait, request)
  }
}

/// How a call ended.
@usableFromInline package enum CallOutcome<Answer: Sendable>: ~Copyable {
  case answered(Answer)
  case dropped
  case interrupted(Interruption)

  /// The outcome of a wait that has ended. Discards an answer that is not returned.
  @_alwaysEmitIntoClient
  package init(
    of end: WaitMachine.End,
    takeAnswer: (AnyReply) -> Answer?,
    onDiscard discard: Discard<Answer>?
  ) {
    switch end {
    case .answered(let reply):
      self = takeAnswer(reply).map { .answered($0) } ?? .dropped
    case .dropped:
      self = .dropped
    case .interrupted(let cause, let reply):
      if let reply, let answer = takeAnswer(reply) { discard?(consume answer) }
      self = .interrupted(cause)
    }
  }

  /// Checks after: if the task is cancelled, withholds a value, so the SDK must hear of the cancellation as if it had
  /// come before the answer. Otherwise, what the SDK has begun would go on, and no caller would know of it.
  ///
  /// One look at the task decides both. With two, a cancellation in between would withhold the value and tell no one.
  ///
  /// `hold` may refuse to withhold. If nothing is withheld, `read` learns that the task has a value.
  @_alwaysEmitIntoClient
  @inline(__always)
  package consuming func checkedAfter<Value, Problem>(
    _ options: CallOptions,
    hold: () -> Bool = { true },
    onCancel cancel: () -> Void,
    read: () -> Void = {},
    onDiscard discard: Discard<Answer>?
  ) -> CallOutcome where Answer == Result<Sent<Value>, Problem> {
    switch consume self {
    case .answered(let answer):
      if options.response.checksAfter, answer.isSuccess {
        if Task.isCancelled, hold() {
          cancel()
          discard?(consume answer)
          return .interrupted(.cancelled)
        }
        read()
      }
      return .answered(answer)
    case .dropped:
      return .dropped
    case .interrupted(let cause):
      return .interrupted(cause)
    }
  }

  /// Returns the value or throws.
  @_alwaysEmitIntoClient
  package consuming func deliver<Value>(
    _ options: CallOptions
  ) throws -> sending Value where Answer == Result<Sent<Value>, any Error> {
    switch self {
    case .answered(.success(let value)):
      return value.open()
    case .answered(.failure(let error)):
      throw error
    case .dropped:
      throw droppedCompletionError(options.callSite)
    case .interrupted(let cause):
      throw options.error(for: cause)
    }
  }
}

/// Calls the SDK, waits, and forwards a cancellation or timeout. Discards an answer that it does not return. With
/// `checks`, a cancellation counts until the task has its value.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) func bridgedWait<Value, Problem, Request: ~Copyable, Failure: Error>(
  _ options: CallOptions,
  _ kind: @autoclosure () -> WaitingCall.Kind,
  checks: Bool,
  in body: (CancellableContinuation<Value, Problem>) throws(Failure) -> Request,
  onCancel cancel: (borrowing Request) -> Void,
  onDiscard discard: (@Sendable (sending Value) -> Void)?
) async throws(Failure) -> CallOutcome<Result<Sent<Value>, Problem>> {
  let deadline = options.timeout?.begin()
  let discardResult = Discarding.onlyValues(to: discard) as Discard<Result<Sent<Value>, Problem>>?
  switch try StartedCall.start(
    // A wait that cannot throw reports a drop.
    Reply(options.callSite, reportsDrop: Problem.self == Never.self, discardResult),
    makeWait: Wait(response: options.response),
    in: { reply throws(Failure) in try body(CancellableContinuation(reply)) }
  ) {
  case .finished(let answer, let request):
    let outcome = CallOutcome.answered(answer)
    if !checks { return outcome }
    return outcome.checkedAfter(options, onCancel: { cancel(request) }, onDiscard: discardResult)
  case .waiting(let wait, let request):
    let outcome = CallOutcome(
      // Consumes the deadline: a sleeping task's frame would keep it.
      of: await wait.end(kind(), options.callSite, by: consume deadline) { cancel(request) },
      takeAnswer: { Reply.take(from: $0) },
      onDiscard: discardResult
    )
    if !checks { return outcome }
    return outcome.checkedAfter(options, onCancel: { cancel(request) }, onDiscard: discardResult)
  }
}

/// Waits for a continuation, and returns the value or throws. A bridge is the same with two checks for cancellation.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) package func throwingWait<Value, Request: ~Copyable>(
  _ options: CallOptions,
  as kind: @autoclosure () -> WaitingCall.Kind = .call,
  checks: Bool = true,
  in body: (CancellableContinuation<Value, any Error>) throws -> Request,
  onCancel cancel: (borrowing Request) -> Void,
  onDiscard discard: (@Sendable (sending Value) -> Void)?
) async throws -> sending Value {
  if checks, let cause = options.causeNotToBegin() { throw options.error(for: cause) }
  return try await bridgedWait(
    options,
    kind(),
    checks: checks,
    in: body,
    onCancel: cancel,
    onDiscard: discard
  ).deliver(options)
}

/// Waits for a continuation, and returns the fallback where a throwing wait would throw.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) package func fallbackWait<Value, Request: ~Copyable>(
  _ options: CallOptions,
  as kind: @autoclosure () -> WaitingCall.Kind = .call,
  checks: Bool = true,
  fallback: sending Value,
  in body: (CancellableContinuation<Value, Never>) -> Request,
  onCancel cancel: (borrowing Request) -> Void,
  onDiscard discard: (@Sendable (sending Value) -> Void)?
) async -> sending Value {
  if checks, options.causeNotToBegin() != nil { return fallback }
  switch await bridgedWait(
    options,
    kind(),
    checks: checks,
    in: body,
    onCancel: cancel,
    onDiscard: discard
  ) {
  case .answered(.success(let value)):
    return value.open()
  case .dropped:
    return fallback
  case .interrupted:
    return fallback
  }
}

/// Waits for the SDK's value, and ignores cancellation. After a drop, only a bridge's wait for `Void` ends.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) func unconditionalWait<Value, Request: ~Copyable>(
  _ callSite: CallSite,
  isBridge: Bool = true,
  in body: (CancellableContinuation<Value, Never>) -> Request,
  onDiscard discard: (@Sendable (sending Value) -> Void)?
) async -> sending Value {
  let options = CallOptions.options(.ignoreCancellation, nil, callSite)
  switch await bridgedWait(
    options,
    .call,
    checks: false,
    in: body,
    onCancel: { _ in },
    onDiscard: discard
  ) {
  case .answered(.success(let value)):
    return value.open()
  case .dropped:
    if isBridge, Value.self == Void.self, let done = () as? Value { return done }
  case .interrupted:
    break
  }
  // Listed, so that one sees what hangs.
  while true { _ = await Wait(response: .ignoreCancellation).end(.call, callSite, by: nil) {} }
}
