public import CancellationInternals
public import CooperativeCancellation

// The bridge of a call whose answer arrives elsewhere. There is no completion to drop or to call twice, so there is no
// ``Reply``: a registry keeps the wait, and the answer arrives in its own object.

/// An answer on its way, in a `Locked` that any thread may release last: moved in, and moved out once, as in ``Reply``.
@usableFromInline package enum Carrier<Answer: Sendable>: Sendable {
  case full(Answer)
  case empty
  /// An answer for all calls.
  case shared(Answer)

  @_alwaysEmitIntoClient
  package mutating func take() -> Answer? {
    switch self {
    case .full(let answer):
      self = .empty
      return answer
    case .empty:
      return nil
    case .shared(let answer):
      return answer
    }
  }
}

@_alwaysEmitIntoClient
package func carrier<Answer: Sendable>(of answer: consuming Answer) -> AnyReply {
  AnyReply(Locked(initially: Carrier.full(answer)))
}

@_alwaysEmitIntoClient
package func carrier<Answer: Sendable>(ofShared answer: consuming Answer) -> AnyReply {
  AnyReply(Locked(initially: Carrier.shared(answer)))
}

@_alwaysEmitIntoClient
package func carried<Answer: Sendable>(by carrier: AnyReply) -> Answer? {
  Locked(carrier, in: LockBuffer<Carrier<Answer>>.self)?.extract { $0.take() }
}

/// Carries the SDK's value, which need not be `Sendable`, or an error.
@usableFromInline typealias PendingAnswer<Value> = Result<Sent<Value>, any Error>

extension Result where Failure == any Error {
  /// Carries a `Sendable` value or an error.
  @_alwaysEmitIntoClient
  static func sendable<Value: Sendable>(_ result: consuming Result<Value, some Error>) -> Self
  where Success == Sent<Value> {
    result.map { Sent($0) }.mapError { $0 }
  }
}

/// Returns a closure that discards the value of an answer on its way.
@_alwaysEmitIntoClient
func discarding<Value>(
  to discard: (@Sendable (sending Value) -> Void)?
) -> (@Sendable (AnyReply) -> Void)? {
  guard let discard else { return nil }
  return { carrier in
    if let value = (carried(by: carrier) as PendingAnswer<Value>?)?.sent() {
      discard((consume value).open())
    }
  }
}

/// One pending call, from its deadline to its value. `register` lets an answer find the wait, and returns the call's
/// number. An immediate answer is found when the task begins to wait, which saves a lock. `leave` ends what `register`
/// began; it receives the request after an interruption was forwarded, or `nil` if `operation` threw.
///
/// `hold` keeps the call's place for an `onCancel`, after an answer: returns `false` if another call has the place. `read`
/// gives up a place that a call keeps until its task has read its answer.
@_alwaysEmitIntoClient
@inline(__always)
nonisolated(nonsending) func pendingBridge<Value, Request>(
  _ options: CallOptions,
  as kind: (Request) -> WaitingCall.Kind = { _ in .pendingCall(id: nil) },
  by deadline: Deadline?,
  register: (Wait) throws -> Int,
  in operation: (Wait, Int) throws -> Request,
  onCancel cancel: (Request) -> Void,
  leave: (Int, Request?) -> Void,
  hold: (Int, Request) -> Bool = { _, _ in true },
  read: (Int, Request) -> Void = { _, _ in },
  onDiscard discard: (@Sendable (sending Value) -> Void)?
) async throws -> sending Value {
  let wait = Wait(response: options.response)
  let number = try register(wait)
  let request: Request
  do {
    request = try operation(wait, number)
  } catch {
    leave(number, nil)
    // Discards an earlier answer; a later one does not count.
    if let carrier = wait.operationThrew() { discarding(to: discard)?(carrier) }
    throw error
  }
  let end = await wait.end(kind(request), options.callSite, by: deadline) {
    cancel(request)
    leave(number, request)
  }
  return try CallOutcome(pending: end, onDiscard: discard).checkedAfter(
    options,
    hold: { hold(number, request) },
    onCancel: {
      cancel(request)
      leave(number, request)
    },
    read: { read(number, request) },
    onDiscard: Discarding.onlyValues(to: discard)
  ).deliver(options)
}

extension CallOutcome {
  /// The outcome of a pending call that has ended.
  @_alwaysEmitIntoClient
  @inline(__always)
  init<Value>(pending end: WaitMachine.End, onDiscard discard: (@Sendable (sending Value) -> Void)?)
  where Answer == PendingAnswer<Value> {
    self.init(
      of: end,
      takeAnswer: { carried(by: $0) },
      onDiscard: Discarding.onlyValues(to: discard)
    )
  }
}
