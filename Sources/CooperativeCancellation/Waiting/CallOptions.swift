/// The options of one call. An enumeration with one case: Swift 6.3.1 does not split up a structure
/// with a reference, so each inlined call would keep code for a timeout that it does not have.
@usableFromInline package enum CallOptions {
  case options(CancellationResponse, Timeout?, CallSite)

  @_alwaysEmitIntoClient
  package var response: CancellationResponse {
    switch self {
    case .options(let response, _, _): response
    }
  }

  @_alwaysEmitIntoClient
  package var timeout: Timeout? {
    switch self {
    case .options(_, let timeout, _): timeout
    }
  }

  @_alwaysEmitIntoClient
  package var callSite: CallSite {
    switch self {
    case .options(_, _, let callSite): callSite
    }
  }

  /// The options of the wait for a turn. The SDK has not been called, so there is no answer to wait
  /// for.
  @_alwaysEmitIntoClient
  package var ofTurn: CallOptions {
    response.endsAtOnce ? self : .options(.abandonCallback, timeout, callSite)
  }

  /// The check before the call: why the SDK must not be called, or `nil`.
  @_alwaysEmitIntoClient
  package func causeNotToBegin() -> Interruption? {
    if response != .ignoreCancellation, Task.isCancelled { return .cancelled }
    if let timeout, timeout.isOver { return .timedOut }
    return nil
  }

  /// The check before the call, and the start of the timeout.
  @_alwaysEmitIntoClient
  package func begin() throws -> Deadline? {
    if let cause = causeNotToBegin() { throw error(for: cause) }
    return timeout?.begin()
  }

  /// The error of an interrupted wait.
  @_alwaysEmitIntoClient
  package func error(for cause: Interruption) -> any Error {
    if let timeout, cause == .timedOut {
      timeoutError(timeout, callSite)
    } else {
      cancellationError()
    }
  }
}

// The errors, created out of line. A `CallOptions` as an argument would take memory of the sleeping
// frame.

/// What `Task.checkCancellation()` throws, with its reason from Swift 6.5; our own error if the
/// task is not cancelled.
@inline(never)
@usableFromInline package func cancellationError() -> any Error {
  do { try Task.checkCancellation() } catch { return error }
  return CancellationError()
}

@_alwaysEmitIntoClient
@inline(never)
func cancellation() -> CancellationError {
  cancellationError() as? CancellationError ?? CancellationError()
}

@inline(never)
@usableFromInline func timeoutError(_ timeout: Timeout, _ callSite: CallSite) -> any Error {
  TimeoutError(timeout, callSite: callSite)
}

@inline(never)
@usableFromInline func droppedCompletionError(_ callSite: CallSite) -> any Error {
  DroppedCompletionError(callSite: callSite)
}
