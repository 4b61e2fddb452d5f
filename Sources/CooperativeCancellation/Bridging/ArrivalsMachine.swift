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
  /// The requests that were kept; `nil` after the end.
  private var requests: [Request]? = []
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
    guard let requests = requests.take() else { return nil }
    isCancelled = cancelling
    return requests
  }
}
