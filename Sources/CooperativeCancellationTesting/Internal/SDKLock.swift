private import CooperativeCancellation

/// The lock of a fake SDK: `cancel()` takes it, and the SDK may hold it while it calls back.
///
/// Recursive, as such locks often are. A waiting thread gives up when the holder stays in a callback for too
/// long. That is a deadlock, because the callback waits for the waiting thread; so the test survives it.
final class SDKLock: Sendable {
  private struct State: Sendable {
    var isHeld = false
    /// When the holder's callback began.
    var callback: Moment?
  }

  /// Whether the running code holds the lock.
  private static let held = TaskLocal<ObjectIdentifier?>(wrappedValue: nil)
  private static let patience: Int64 = 1_000_000_000

  private let state = Observed(State())

  /// Takes the lock. Any thread may call ``release()``.
  func hold() {
    while true {
      let isMine = state.change { state in
        let isDeadlocked = state.callback.map { $0.nanoseconds(to: .now) > SDKLock.patience }
        if state.isHeld, isDeadlocked != true { return false }
        state.isHeld = true
        return true
      }
      if isMine { return }
      pauseThread()
    }
  }

  func release() {
    state.change { $0 = State() }
  }

  /// Takes the lock and runs a callback of the SDK or its `cancel()`.
  func locked(isCallback: Bool, _ body: () -> Void) {
    if SDKLock.held.get() == ObjectIdentifier(self) { return body() }
    hold()
    defer { release() }
    if isCallback { state.change { $0.callback = .now } }
    SDKLock.held.withValue(ObjectIdentifier(self), operation: body)
  }
}
