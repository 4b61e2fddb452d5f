/// Decides who forwards an interruption, while an asynchronous `operation` runs beside the task
/// that waits.
///
/// ```
///              returns     ┌──────────┐ interrupt: the waiting task calls onCancel
///           ┌────────────▶ │ returned │
///   ┌─────────┐            └──────────┘
///   │ running │ throws     ┌────────┐ interrupt: nothing is left to cancel
///   └─────────┘ ─────────▶ │ failed │
///           │              └────────┘
///           └────────────▶ ┌─────────────┐ returns: the operation's task calls onCancel
///            interrupt:    │ interrupted │
///            the operation └─────────────┘
///            is cancelled
/// ```
@usableFromInline package enum AsyncOperationMachine<Request: Sendable>: Sendable {
  case running
  case returned(Request)
  case failed
  case interrupted

  @_alwaysEmitIntoClient
  package init() { self = .running }

  @usableFromInline package enum Interrupted: Sendable {
    case cancelOperation
    case cancel(Request)
    case nothing
  }

  /// The call was cancelled or timed out.
  @_alwaysEmitIntoClient
  package mutating func interrupt() -> Interrupted {
    switch self {
    case .running, .interrupted:
      // There is no request yet. If the operation still returns one, its task cancels that.
      self = .interrupted
      return .cancelOperation
    case .returned(let request): return .cancel(request)
    case .failed: return .nothing
    }
  }

  /// The operation returned a request, or threw. Returns whether it was interrupted, so that its
  /// own task forwards.
  @_alwaysEmitIntoClient
  package mutating func end(_ request: Request?) -> Bool {
    if case .interrupted = self { return true }
    self = request.map { .returned($0) } ?? .failed
    return false
  }
}
