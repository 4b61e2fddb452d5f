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
// `operation` runs before anything suspends, and `onCancel` in the resumed task. Both run on the
// caller's actor, never inside the runtime's cancellation handler. The handler runs under the
// task's status lock; an SDK that calls back while holding the lock its `cancel()` takes would
// deadlock.

/// Calls the SDK, waits, and forwards a cancellation or timeout. Discards an answer that it does
/// not return.
///
/// With `checks`, a cancellation counts until the task has its value. A registry, in which a call
/// keeps its place until then, learns of both: `hold` keeps the place for `onCancel`, and `read`
/// gives it up. `hold` may refuse.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) package func bridgedWait<
  Value,
  Problem,
  Request: ~Copyable,
  Failure: Error
>(
  _ options: CallOptions,
  by deadline: consuming Deadline?,
  as kind: (borrowing Request) -> WaitingCall.Kind,
  checks: Bool,
  in body: (CancellableContinuation<Value, Problem>) throws(Failure) -> Request,
  hold: (borrowing Request) -> Bool = { _ in true },
  onCancel cancel: (borrowing Request) -> Void,
  read: (borrowing Request) -> Void = { _ in },
  onDiscard discard: (@Sendable (sending Value) -> Void)?
) async throws(Failure) -> CallOutcome<Result<Sent<Value>, Problem>> {
  let discardResult = Discarding.onlyValues(to: discard) as Discard<Result<Sent<Value>, Problem>>?
  let outcome: CallOutcome<Result<Sent<Value>, Problem>>
  let request: Request
  switch try StartedCall.start(
    // A wait that cannot throw reports a drop.
    Reply(options.callSite, reportsDrop: Problem.self == Never.self, discardResult),
    makeWait: Wait(response: options.response),
    in: { reply throws(Failure) in try body(CancellableContinuation(reply)) }
  ) {
  case .finished(let answer, let made):
    request = made
    outcome = .answered(answer)
  case .waiting(let wait, let made):
    request = made
    outcome = CallOutcome(
      // Consumes the deadline, because a sleeping task's frame would keep it.
      of: await wait.sleepUntilEnd(kind(request), options.callSite, by: consume deadline) {
        cancel(request)
      },
      takeAnswer: { Reply.take(from: $0) },
      onDiscard: discardResult
    )
  }
  if !checks { return outcome }
  return outcome.checkedAfter(
    options,
    hold: { hold(request) },
    onCancel: { cancel(request) },
    read: { read(request) },
    onDiscard: discardResult
  )
}

/// Waits for a continuation, and returns the value or throws. A bridge is the same with two checks
/// for cancellation.
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
    by: options.timeout?.begin(),
    as: { _ in kind() },
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
    by: options.timeout?.begin(),
    as: { _ in kind() },
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

/// Waits for the SDK's value, and ignores cancellation. After a drop, only a bridge's wait for
/// `Void` ends.
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
    by: nil,
    as: { _ in .call },
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
  while true {
    let wait = Wait(response: .ignoreCancellation)
    _ = await wait.sleepUntilEnd(.call, callSite, by: nil) {}
  }
}
