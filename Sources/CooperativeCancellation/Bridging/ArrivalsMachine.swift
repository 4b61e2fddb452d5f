/// Matches a cancellation with the requests that it cancels, in any order of arrival.
///
/// ```
///   ┌──────┐ ─ stop, cancelling ─▶ ┌───────────┐
///   │ open │ ◀─┐                   │ cancelled │ ◀─┐ arrive: cancelled
///   └──────┘ ──┘ arrive: kept      └───────────┘ ──┘
///      │                           ┌──────┐
///      └─ stop ──────────────────▶ │ over │ ◀─┐ arrive: released
///                                  └──────┘ ──┘
/// ```
package struct ArrivalsMachine<Request: Sendable>: Sendable {
  // Not an enumeration of these states: its code would be in every program, and is larger.

  /// The requests that have arrived while the wait was `open`; `nil` after the end.
  private var requests: [Request]? = []
  /// Whether the end was a cancellation, so that a request that arrives later is cancelled, too.
  private var isCancelled = false

  package init() {}

  /// The SDK delivered a request, which is moved out of the caller's variable if it is kept.
  /// Returns whether to cancel it.
  package mutating func arrive(_ request: inout Request?) -> Bool {
    if requests == nil { return isCancelled }
    if let request = request.take() { requests?.append(request) }
    return false
  }

  /// The bridge forwards a cancellation or a timeout, or the wait is over. Returns the requests to
  /// cancel or release; `nil` if this has stopped before.
  package mutating func stop(cancelling: Bool) -> [Request]? {
    // Only the first one counts: the release of the `LateRequest` follows each cancellation.
    guard let requests = requests.take() else { return nil }
    isCancelled = cancelling
    return requests
  }
}
