package import CooperativeCancellation

/// Cancels the tasks of a bag when it is released, unless another one is tied to the same bag.
///
/// Kept in the state of a view, it lives as long as the view does: also while it is covered, and until it is
/// removed. It is given its bag late, because SwiftUI makes the initial value of a state each time that it
/// evaluates a view, and throws away all but the first: to release one of those must do nothing. And when a view
/// takes the place of another, with the same bag, its state is there before the other's has gone.
package final class BagLifetime: Sendable {
  /// How many of these are tied to a bag.
  private static let ties = Locked<[ObjectIdentifier: Int]>(initially: [:])

  private let bag = Locked<TaskBag?>(initially: nil)

  package init() {}

  /// Ties a bag to the life of this object, in place of the one before.
  package func tie(_ bag: TaskBag) {
    BagLifetime.ties.locked { $0[ObjectIdentifier(bag), default: 0] += 1 }
    let other = self.bag.locked { current in
      defer { current = bag }
      return current
    }
    if let other { BagLifetime.untie(other) }
  }

  deinit {
    if let bag = bag.locked({ $0 }) { BagLifetime.untie(bag) }
  }

  private static func untie(_ bag: TaskBag) {
    let isLast = ties.locked { ties in
      if let count = ties[ObjectIdentifier(bag)], count > 1 {
        ties[ObjectIdentifier(bag)] = count - 1
        return false
      }
      ties[ObjectIdentifier(bag)] = nil
      return true
    }
    if isLast { bag.cancelAll() }
  }
}
