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
package struct ArrivalsMachine<Request: Sendable>: Sendable {
  private enum State {
    /// Initial state. Requests that arrive are kept.
    case uncancelled

    /// The wait was cancelled or timed out. Each later request is cancelled when it arrives.
    case cancelled

    /// The wait ended without a cancellation. Later requests are released.
    case over
  }

  private var state = State.uncancelled
  /// Empty, unless ``State/uncancelled``.
  private var requests: [Request] = []

  package init() {}

  /// The SDK delivered a request, which is moved out of the caller's variable if it is kept. Returns whether to cancel it.
  package mutating func arrive(_ request: inout Request?) -> Bool {
    switch state {
    case .uncancelled:
      if let request = request.take() { requests.append(request) }
      return false
    case .cancelled:
      return true
    case .over:
      return false
    }
  }

  /// The bridge forwards a cancellation or a timeout. Returns the requests to cancel now.
  package mutating func cancel() -> [Request] {
    leaveUncancelled(for: .cancelled)
  }

  /// The wait is over. Returns the requests to release.
  package mutating func end() -> [Request] {
    leaveUncancelled(for: .over)
  }

  /// Returns the requests that were kept.
  private mutating func leaveUncancelled(for next: State) -> [Request] {
    if state == .uncancelled { state = next }
    defer { requests = [] }
    return requests
  }
}
