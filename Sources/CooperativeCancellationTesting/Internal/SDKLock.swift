/// The lock of a fake SDK, which its `cancel()` takes. Recursive, as such locks often are.
final class SDKLock: Sendable {
  /// Whether the running code holds the lock.
  private static let held = TaskLocal<ObjectIdentifier?>(wrappedValue: nil)

  private let isHeld = Observed(false)

  /// Takes the lock. Any thread may call ``release()``.
  func hold() {
    while !tryHold() { pauseThread() }
  }

  /// Takes the lock if it is free. Returns whether it was.
  func tryHold() -> Bool {
    isHeld.change { isHeld in
      defer { isHeld = true }
      return !isHeld
    }
  }

  func release() { isHeld.change { $0 = false } }

  func locked(_ body: () -> Void) {
    if SDKLock.held.get() == ObjectIdentifier(self) { return body() }
    hold()
    defer { release() }
    SDKLock.held.withValue(ObjectIdentifier(self), operation: body)
  }
}
