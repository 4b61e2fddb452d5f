// The bridge of a call whose answer comes in elsewhere. There is no completion to drop or to call again, so there is
// no ``Reply``: the registry keeps the wait, and the answer comes in an object of its own.

/// An answer on its way to a wait.
// `@_fixed_layout` allows the inlined `init` in a build with library evolution.
@_fixed_layout
@usableFromInline
package final class Carrier<Answer: Sendable>: Sendable {
  @usableFromInline let answer: Answer

  @inlinable
  package init(_ answer: Answer) {
    self.answer = answer
  }
}

/// Returns a closure that discards an answer on its way.
@inlinable
func opening<Answer: Sendable>(
  _ discard: (@Sendable (Answer) -> Void)?
) -> (@Sendable (AnyReply) -> Void)? {
  guard let discard else { return nil }
  return { carrier in
    if let answer: Answer = carried(by: carrier) { discard(answer) }
  }
}

extension Wait {
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
  by deadline: Deadline?,
  in operation: (Wait) throws -> Request,
  onCancel cancel: (Request) -> Void,
  onDiscard discard: (@Sendable (Value) -> Void)?
) async throws -> Value {
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

/// The number of a call in its registry, and what `operation` returned.
@frozen
@usableFromInline
struct PendingRequest<Request> {
  @usableFromInline let number: Int
  @usableFromInline let request: Request

  @inlinable
  init(_ number: Int, _ request: Request) {
    self.number = number
    self.request = request
  }
}
