import Synchronization

/// The end of something that an SDK does: it counts once as cancelled, whoever has stopped it.
nonisolated final class Once: Sendable {
  private let state = Mutex<(request: SDKRequest?, hasEnded: Bool)>((nil, false))

  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// An answer inside the SDK's method may have ended it before its request is known.
  func begin(_ request: SDKRequest) {
    let hasEnded = state.withLock { state in
      state.request = request
      return state.hasEnded
    }
    if hasEnded { request.cancel() }
  }

  /// Returns whether it had not ended.
  @discardableResult
  func end() -> Bool {
    let (isFirst, request) = state.withLock { state in
      defer { state.hasEnded = true }
      return (!state.hasEnded, state.hasEnded ? nil : state.request)
    }
    request?.cancel()
    return isFirst
  }
}
