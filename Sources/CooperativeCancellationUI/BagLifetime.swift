package import CooperativeCancellation

/// Cancels the tasks of a bag when it is released, unless another one is tied to the same bag.
///
/// Kept in the state of a view, it lives as long as the view does: also while it is covered, and until it is
/// removed. It is given its bag late, because SwiftUI makes the initial value of a state each time that it
/// evaluates a view, and throws away all but the first: to release one of those must do nothing. And when a view
/// takes the place of another, with the same bag, its state is there before the other's has gone.
@MainActor
package final class BagLifetime {
  /// How many of these are tied to a bag.
  private static var ties: [ObjectIdentifier: Int] = [:]

  private var bag: TaskBag?

  nonisolated package init() {}

  /// Ties a bag to the life of this object, in place of the one before.
  package func tie(_ bag: TaskBag) {
    if bag === self.bag { return }
    BagLifetime.ties[ObjectIdentifier(bag), default: 0] += 1
    if let other = self.bag { BagLifetime.untie(other) }
    self.bag = bag
  }

  deinit {
    // Not here: the ties belong to the main actor, and an object may be released anywhere.
    if let bag { Task { @MainActor in BagLifetime.untie(bag) } }
  }

  private static func untie(_ bag: TaskBag) {
    if let count = ties[ObjectIdentifier(bag)], count > 1 {
      ties[ObjectIdentifier(bag)] = count - 1
    } else {
      ties[ObjectIdentifier(bag)] = nil
      bag.cancelAll()
    }
  }
}
