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
@usableFromInline struct ArrivalsMachine<Request: Sendable>: Sendable {
  // Not an enumeration of these states, because its code, which would be in every program, is
  // larger.

  /// The requests that have arrived while the wait was `open`; `nil` after the end.
  @usableFromInline var requests: [Request]? = []
  /// Cancels what arrives after a cancellation.
  @usableFromInline var cancelOne: (@Sendable (Request) -> Void)?

  @_alwaysEmitIntoClient
  init() {}

  /// The SDK delivered a request, which is moved out of the caller's variable if it is kept.
  /// Returns what cancels it, if it came after a cancellation.
  @_alwaysEmitIntoClient
  mutating func arrive(_ request: inout Request?) -> (@Sendable (Request) -> Void)? {
    if requests == nil { return cancelOne }
    if let request = request.take() { requests?.append(request) }
    return nil
  }

  /// The bridge forwards a cancellation or a timeout, or, without a closure, the wait is over.
  /// Returns the requests to cancel or release.
  @_alwaysEmitIntoClient
  mutating func stop(_ cancelOne: (@Sendable (Request) -> Void)?) -> [Request] {
    // Only the first one counts, because the release of the `LateRequest` follows each
    // cancellation.
    guard let requests = requests.take() else { return [] }
    self.cancelOne = cancelOne
    return requests
  }
}
