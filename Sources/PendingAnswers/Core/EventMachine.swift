public import CancellationInternals

/// The tasks that wait for an event: a value type without a lock.
///
/// ```
///   join ──▶ waiting ─┬─ leave ──────▶ gone
///                     ├─ takeAll ────▶ gone: each receives the event
///                     └─ close ──────▶ gone: each receives the last event, which later ones find
/// ```
///
/// The waits that it returns are resumed or released after unlocking.
@usableFromInline package struct EventMachine<Waiter: Sendable, Event: Sendable>: Sendable {
  @usableFromInline var waiters = NumberedQueue<Waiter>()
  @usableFromInline var lastNumber = 0
  /// The last event, if there will be no other one.
  @usableFromInline package var lastEvent: Event?

  @_alwaysEmitIntoClient
  package init() {}

  /// How many tasks wait.
  @_alwaysEmitIntoClient
  package var count: Int { waiters.count }

  /// A task begins to wait. Returns its number, or `nil` if there is a last event.
  @_alwaysEmitIntoClient
  package mutating func join(_ waiter: Waiter) -> Int? {
    if lastEvent != nil { return nil }
    lastNumber += 1
    waiters.append(waiter, lastNumber)
    return lastNumber
  }

  /// A task waits no longer. Returns it, to release.
  @_alwaysEmitIntoClient
  package mutating func leave(_ number: Int) -> Waiter? { waiters.remove(number) }

  /// An event happens. Returns those that waited for it, in the order in which they began.
  @_alwaysEmitIntoClient
  package mutating func takeAll() -> NumberedQueue<Waiter> { waiters.takeAll() }

  /// The last event happens. Only the first close counts.
  @_alwaysEmitIntoClient
  package mutating func close(with event: Event) -> NumberedQueue<Waiter> {
    lastEvent = lastEvent ?? event
    return waiters.takeAll()
  }
}
