internal import CancellationInternals

/// The tasks of a bag that share an id, in their order. None of its functions takes more steps than
/// a binary search, on average. To cancel them, all are taken at once, and looked at without the
/// bag's lock.
struct BagLine: Sendable {
  typealias Place = (slot: Int, number: Int)

  /// The slots of all, also of cancelled ones, but not of those that never begin.
  private(set) var holders = NumberedQueue<Int>()
  /// Those that are not cancelled.
  private(set) var active = NumberedQueue<CancelledTasks.Task>()
  /// The one that waits for others. It is active, and there is no second one, because a task that
  /// waits has cancelled all before it, and one that is cancelled while it waits leaves.
  private var blocked: Place?

  var steps: Int { holders.steps + active.steps }

  /// A new task has the id. Returns what it replaces, and one of those for which it waits.
  mutating func join(
    _ place: Place,
    replaces: Bool,
    waits: Bool
  ) -> (replaced: CancelledTasks, blocker: Int?) {
    var replaced = CancelledTasks()
    var blocker: Int?
    if replaces, holders.count > 0 {
      replaced = cancelAll()
      // It may be the only one by now, because one that waited has left.
      blocker = waits ? holders.last() : nil
      if blocker != nil { blocked = place }
    }
    holders.append(place.slot, place.number)
    active.append(CancelledTasks.Task(), place.number)
    return (replaced, blocker)
  }

  /// A task exists. Returns `false` if it is cancelled.
  mutating func start(_ number: Int, _ member: Member) -> Bool {
    guard isActive(number), let position = active.position(of: number) else { return false }
    active.slots[position].element?.member = member
    return true
  }

  /// Whether a task is not cancelled.
  mutating func isActive(_ number: Int) -> Bool {
    active.position(of: number).map { active.slots[$0].element != nil } ?? false
  }

  /// A task has ended. Returns the one that may begin now.
  mutating func removeTask(_ number: Int) -> Int? {
    _ = active.remove(number)
    _ = holders.remove(number)
    // The blocked one may begin when all before it have ended, so that it is the first.
    guard let next = blocked?.slot, holders.first() == next else { return nil }
    blocked = nil
    return next
  }

  /// All are cancelled. Returns the tasks to cancel. They hold the id until they have ended, except
  /// for the blocked one, which never begins.
  mutating func cancelAll() -> CancelledTasks {
    leaveBlocked()
    return CancelledTasks(all: active.takeAll())
  }

  /// A task is cancelled. Returns `false` if it was cancelled before.
  mutating func cancel(_ number: Int) -> Bool {
    if blocked?.number == number { leaveBlocked() }
    return active.remove(number) != nil
  }

  /// The one that waits never begins.
  private mutating func leaveBlocked() {
    if let loser = blocked.take() { _ = holders.remove(loser.number) }
  }
}

/// Tasks to cancel, and to release, after unlocking.
package struct CancelledTasks: Sendable {
  struct Task: Sendable {
    /// Not yet, if the task is being made: it is cancelled as soon as it exists.
    var member: Member?
  }

  fileprivate(set) var all = NumberedQueue<Task>()

  package var members: [Member] { all.slots.compactMap { $0.element?.member } }
}
