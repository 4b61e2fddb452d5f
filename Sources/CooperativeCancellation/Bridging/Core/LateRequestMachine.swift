/// Matches a cancellation with the requests that it cancels, in any order of arrival.
///
/// ```
///                       cancel
///   ┌─────────────┐ ─────────────▶ ┌───────────┐
///   │ uncancelled │ ◀─┐            │ cancelled │ ◀─┐ arrive: cancelled
///   └─────────────┘ ──┘ arrive:    └───────────┘ ──┘
///      │                kept       ┌──────┐
///      └─────────────────────────▶ │ over │ ◀─┐ arrive: released
///                        end       └──────┘ ──┘
/// ```
///
/// A value type without a lock: ``LateRequest`` passes in the events and performs what the machine returns.
package struct LateRequestMachine<Request: Sendable>: Sendable {
  private enum State {
    /// Initial state. These requests have arrived.
    case uncancelled([Request])

    /// The wait was cancelled or timed out. Each later request is cancelled when it arrives.
    case cancelled

    /// The wait ended without a cancellation. Later requests are released.
    case over
  }

  private var state = State.uncancelled([])

  package init() {}

  /// The SDK delivered a request. Returns whether to cancel it.
  package mutating func arrive(_ request: Request) -> Bool {
    switch state {
    case .uncancelled(let requests):
      state = .uncancelled(requests + [request])
      return false
    case .cancelled:
      return true
    case .over:
      return false
    }
  }

  /// The bridge forwards a cancellation or a timeout. Returns the requests to cancel now.
  package mutating func cancel() -> [Request] {
    guard case .uncancelled(let requests) = state else { return [] }
    state = .cancelled
    return requests
  }

  /// The wait is over. Returns the requests to release.
  package mutating func end() -> [Request] {
    guard case .uncancelled(let requests) = state else { return [] }
    state = .over
    return requests
  }
}
