import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK

/// An SDK with one listener, which it calls under the lock that `remove` takes.
final class LockingSDK<Element: Sendable>: Sendable {
  /// Not a bare closure: each access to one in generic storage would wrap it once more.
  private struct Listener {
    let hear: @Sendable (Element) -> Void
  }

  private let lock = RecursiveLock()
  private let listener = Protected<Listener?>(nil)

  var isRegistered: Bool { listener.withLock { $0 != nil } }

  func add(_ hear: @escaping @Sendable (Element) -> Void) {
    lock.withLock { listener.withLock { $0 = Listener(hear: hear) } }
  }

  func remove() {
    // Released outside the inner lock.
    _ = lock.withLock { listener.withLock { $0.take() } }
  }

  func announce(_ element: Element) { lock.withLock { listener.withLock { $0 }?.hear(element) } }

  func elements(_ policy: BufferingPolicy) -> SendableCallbackSequence<Element, Never> {
    SendableCallbackSequence {
      AsyncCallbackSequence(buffering: policy) {
        self.add($0)
      } onTermination: {
        self.remove()
      }
    }
  }
}
