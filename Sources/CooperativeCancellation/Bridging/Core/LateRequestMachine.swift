/// Brings a cancellation and the requests that it is for together, whichever comes first.
///
/// ```
///                    cancel
///   ┌─────────────┐ ────────▶ ┌───────────┐
///   │ uncancelled │           │ cancelled │ ◀─┐ arrive: the cancellation is for this one, too
///   └─────────────┘ ──┐       └───────────┘ ──┘
///      ▲  │ arrive    │ end   ┌──────┐
///      └──┘: kept     └─────▶ │ over │ ◀─┐ arrive, cancel: nothing
///                             └──────┘ ──┘
/// ```
///
/// A value type without a lock: ``LateRequest`` feeds it and acts on what it returns.
package struct LateRequestMachine<Request: Sendable, Cancellation: Sendable>: Sendable {
  private enum State {
    /// Initial state: these requests have arrived. Several, if the SDK tries again or works in parts.
    case uncancelled([Request])

    /// The wait was cancelled or timed out: each request that still arrives is told.
    case cancelled(Cancellation)

    /// The wait ended without a cancellation: nobody needs the requests.
    case over
  }

  private var state = State.uncancelled([])

  package init() {}

  /// The SDK handed a request over. Returns the cancellation that is to be applied to it, if there is one.
  package mutating func arrive(_ request: Request) -> Cancellation? {
    switch state {
    case .uncancelled(let requests):
      state = .uncancelled(requests + [request])
      return nil
    case .cancelled(let cancellation):
      return cancellation
    case .over:
      return nil
    }
  }

  /// The bridge forwards a cancellation or a timeout. Returns the requests to which it is to be applied now.
  package mutating func cancel(_ cancellation: Cancellation) -> [Request] {
    guard case .uncancelled(let requests) = state else { return [] }
    state = .cancelled(cancellation)
    return requests
  }

  /// The wait is over. Returns the requests that nobody needs any more.
  package mutating func end() -> [Request] {
    guard case .uncancelled(let requests) = state else { return [] }
    state = .over
    return requests
  }
}
