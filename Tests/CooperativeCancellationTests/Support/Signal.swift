// The examples, which share this file, have `Protected.swift` itself.
#if canImport(FakeCallbackSDK)
  import FakeCallbackSDK
#endif

/// Lets a test wait until something has happened, once per ``fire()``.
final class Signal: Sendable {
  private struct State {
    var fired = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Protected(State())

  func fire() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
      state.fired += 1
      return nil
    }
    waiter?.resume()
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let hasFired = state.withLock { state in
        guard state.fired > 0 else {
          state.waiters.append(continuation)
          return false
        }
        state.fired -= 1
        return true
      }
      if hasFired { continuation.resume() }
    }
  }
}
