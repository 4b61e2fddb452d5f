package import CooperativeCancellation
internal import Synchronization

/// Cancels the tasks of a bag when it is released.
///
/// Kept in the state of a view, it lives as long as the view does: also while it is covered, and until it is
/// removed. It is given its bag late, because SwiftUI makes the initial value of a state each time that it
/// evaluates a view, and throws away all but the first: to release one of those must do nothing.
package final class BagLifetime: Sendable {
  private let bag = Mutex<TaskBag?>(nil)

  package init() {}

  /// Ties a bag to the life of this object. Another one that was tied before is cancelled.
  package func tie(_ bag: TaskBag) {
    let other = self.bag.withLock { current -> TaskBag? in
      if current === bag { return nil }
      defer { current = bag }
      return current
    }
    other?.cancelAll()
  }

  deinit {
    bag.withLock { $0 }?.cancelAll()
  }
}
