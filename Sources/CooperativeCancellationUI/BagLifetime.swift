package import TaskBags

/// Cancels the tasks of a bag when it is released, unless another object is tied to the same bag.
///
/// A view's state keeps it until the view is removed, even while the view is covered. It receives
/// its bag late: SwiftUI creates an initial value at each evaluation; discarding all but the first
/// must have no effect. When a view replaces another with the same bag, its state exists before the
/// old one is released, hence the count.
@MainActor
package final class BagLifetime {
  /// How many objects are tied to each bag.
  private static var ties: [ObjectIdentifier: Int] = [:]

  private var bag: TaskBag?

  nonisolated package init() {}

  /// Ties a bag to the lifetime of this object, in place of the previous bag.
  package func tie(_ bag: TaskBag) {
    if bag === self.bag { return }
    let other = self.bag
    BagLifetime.ties[ObjectIdentifier(bag), default: 0] += 1
    self.bag = bag
    // Last, because a cancellation handler may call this.
    if let other { BagLifetime.untie(other) }
  }

  deinit {
    // Asynchronous, because the ties belong to the main actor, and this object may be released
    // anywhere.
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
