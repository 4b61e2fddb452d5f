// The bridge of a call whose answer comes in elsewhere. There is no completion to drop or to call again, so there is
// no ``Reply``: the table keeps the wait, and the answer comes in an object of its own.

/// An answer on its way to a wait.
// `@_fixed_layout` allows the inlined `init` in a build with library evolution.
@_fixed_layout
@usableFromInline
final class Carrier<Answer: Sendable>: Sendable {
  @usableFromInline let answer: Answer

  @inlinable
  init(_ answer: Answer) {
    self.answer = answer
  }
}

extension Wait {
  /// An answer came in. Returns whether that counts; if not, the caller keeps the answer.
  @inlinable
  func hear<Answer: Sendable>(_ answer: Answer) -> Bool {
    hear(.answered(in: carrier(of: answer)))
  }

  /// `operation` threw. Discards an earlier answer; a later one does not count.
  @inlinable
  func refuse<Answer: Sendable>(onDiscard discard: (@Sendable (Answer) -> Void)?) {
    if let carrier = refuse(), let answer: Answer = carried(by: carrier) { discard?(answer) }
  }
}

/// Runs `operation`, which registers the wait and calls the SDK. An answer at once is found when the task begins to
/// wait: to look for it before would cost each call a lock.
@inlinable
@inline(__always)
func start<Answer: Sendable, Request>(
  _ wait: Wait,
  in operation: (Wait) throws -> Request,
  onDiscard discard: (@Sendable (Answer) -> Void)?
) throws -> Started<Answer, Request> {
  do {
    return .waiting(wait, try operation(wait))
  } catch {
    wait.refuse(onDiscard: discard)
    throw error
  }
}

/// Bridges, checks after, and returns the value or throws.
@inlinable
@inline(__always)
nonisolated(nonsending) func pendingBridge<Value: Sendable, Request>(
  _ terms: Terms,
  in operation: (Wait) throws -> Request,
  onCancel cancel: (Request) -> Void,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async throws -> Value {
  if let cause = terms.causeNotToBegin() { throw terms.error(for: cause) }
  let deadline = terms.timeout?.begin()
  let discardAnswer: (@Sendable (Result<Value, any Error>) -> Void)? = onlyValues(to: discard)
  return try deliver(
    await outcome(
      of: try start(Wait(response: terms.response), in: operation, onDiscard: discardAnswer),
      by: deadline,
      takeAnswer: { carried(by: $0) },
      onCancel: cancel,
      onDiscard: discardAnswer
    ),
    terms,
    onDiscard: discard
  )
}
