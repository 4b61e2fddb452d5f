/// Brings a cancellation and the requests that it is for together, whichever comes first.
///
/// ```
///                       cancel
///   ┌─────────────┐ ─────────────▶ ┌───────────┐
///   │ uncancelled │ ◀─┐            │ cancelled │ ◀─┐ arrive: is to be cancelled
///   └─────────────┘ ──┘ arrive:    └───────────┘ ──┘
///      │                is kept    ┌──────┐
///      └─────────────────────────▶ │ over │ ◀─┐ arrive: is let go
///                        end       └──────┘ ──┘
/// ```
///
/// A value type without a lock: ``LateRequest`` feeds it and acts on what it returns.
package struct LateRequestMachine<Request: Sendable>: Sendable {
  private enum State {
    /// Initial state: these requests have arrived. Several, if the SDK tries again or works in parts.
    case uncancelled([Request])

    /// The wait was cancelled or timed out: each request that still arrives is told.
    case cancelled

    /// The wait ended without a cancellation: nobody needs the requests.
    case over
  }

  private var state = State.uncancelled([])

  package init() {}

  /// The SDK handed a request over. Returns whether it is to be cancelled.
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

  /// The bridge forwards a cancellation or a timeout. Returns the requests that are to be cancelled now.
  package mutating func cancel() -> [Request] {
    guard case .uncancelled(let requests) = state else { return [] }
    state = .cancelled
    return requests
  }

  /// The wait is over. Returns the requests that nobody needs any more.
  package mutating func end() -> [Request] {
    guard case .uncancelled(let requests) = state else { return [] }
    state = .over
    return requests
  }
}
