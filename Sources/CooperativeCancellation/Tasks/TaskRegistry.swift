/// A task that a registry holds: one that the bag made, or one that it was given.
@usableFromInline
package enum Member: Sendable {
  case made(Task<Void, Never>)
  case given(AnyTask)

  func cancel() {
    switch self {
    case .made(let task): task.cancel()
    case .given(let task): task.cancel()
    }
  }
}

/// Which tasks a ``TaskBag`` holds: a value type without a lock.
///
/// What it returns is to be cancelled, called or released after unlocking. A task has a slot from before it
/// exists until after it has ended:
///
/// ```
///   free ── reserve ──▶ starting ── start ───▶ running ── finish ──▶ free
///                          │
///                          └ finish ▶ finished ── start ──────────▶ free
/// ```
///
/// It is removed by its slot, never by its id: the end of a task that was replaced cannot evict its
/// successor.
///
/// Storage: the slots are an array, and each is in at most one doubly linked list: that of the free slots, or
/// that of the ids whose hash has the same remainder, as in a hash table with chains.
package struct TaskRegistry: Sendable {
  private struct Slot: Sendable {
    enum State: Sendable {
      case free
      /// The task is being made.
      case starting
      /// The task is being made, and must be cancelled when it is there.
      case startingCancelled
      case running
      /// The task has ended before the one who made it could say so.
      case finished
    }

    var state = State.free
    var member: Member?
    var id: TaskID?
    var previous = none
    var next = none
  }

  private enum List {
    case free
    case ids(bucket: Int)
  }

  /// No slot.
  private static let none = -1

  /// How many slots, and lists of ids, are kept for reuse, however few are used.
  private static let keptCapacity = 32

  private var slots: [Slot] = []
  private var firstFree = none
  private var buckets: [Int] = []
  private var idCount = 0
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0

  /// How many tasks have not ended.
  package private(set) var count = 0
  package private(set) var isClosed = false

  package init() {}

  /// What is to be called when all tasks have ended.
  package struct Waiter: Sendable {
    package let completion: @Sendable (Result<Void, any Error>) -> Void

    package init(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
      self.completion = completion
    }
  }

  // MARK: A task's life

  /// Makes room for a task without an id. Returns its slot, or `nil` if this is closed.
  package mutating func reserve() -> Int? {
    if isClosed { return nil }
    count += 1
    let slot: Int
    if firstFree == TaskRegistry.none {
      slot = slots.count
      slots.append(Slot())
    } else {
      slot = firstFree
      remove(slot, from: .free)
    }
    slots[slot].state = .starting
    return slot
  }

  /// The task of a slot is there. Returns whether it must be cancelled.
  package mutating func start(_ slot: Int, _ member: Member) -> Bool {
    let state = slots[slot].state
    if state == .finished {
      free(slot)
      return false
    }
    slots[slot].state = .running
    slots[slot].member = member
    return state == .startingCancelled
  }

  /// What is left of a task.
  package struct Remains: Sendable {
    package var member: Member?
    package var id: TaskID?
    /// Who waits for the end of all, if this was the last.
    package var waiters: [Waiter] = []
  }

  /// The task of a slot has ended.
  package mutating func finish(_ slot: Int) -> Remains {
    count -= 1
    var remains = Remains(member: slots[slot].member.take(), id: unlink(slot))
    if slots[slot].state == .running {
      free(slot)
    } else {
      slots[slot].state = .finished
    }
    if count == 0, !waiters.isEmpty {
      remains.waiters = waiters.keys.sorted().compactMap { waiters[$0] }
      waiters = [:]
    }
    return remains
  }

  // MARK: Ids

  /// The ids with a hash. Which of them are equal to another is for the caller to ask, without a lock.
  package func ids(withHash hash: Int) -> [TaskID] {
    var found: [TaskID] = []
    forEachSlot(withHash: hash) { _, id in found.append(id) }
    return found
  }

  /// What becomes of a task with an id.
  package enum Reservation: Sendable {
    case slot(Int, replaced: [Member])
    /// Other tasks with such ids have come or gone: look again.
    case idsHaveChanged
    case closed
  }

  /// Makes room for a task with an id, in the place of the tasks with some others.
  ///
  /// - Parameter seen: The ids with the same hash from which `replaced` was chosen; `nil` if nothing was.
  package mutating func reserve(
    id: TaskID,
    replacing replaced: [TaskID],
    seen: [TaskID]?
  ) -> Reservation {
    if let seen, !ids(withHash: id.hash).elementsEqual(seen, by: ===) { return .idsHaveChanged }
    let members = cancel(replaced)
    guard let slot = reserve() else { return .closed }
    link(slot, id)
    return .slot(slot, replaced: members ?? [])
  }

  /// Takes the ids, which the caller keeps, from their tasks. Returns those tasks, for cancelling; `nil` if there are
  /// none.
  package mutating func cancel(_ ids: [TaskID]) -> [Member]? {
    var slots: [Int] = []
    for id in ids {
      forEachSlot(withHash: id.hash) { slot, other in
        if other === id { slots.append(slot) }
      }
    }
    return slots.isEmpty ? nil : slots.compactMap { cancel($0).member }
  }

  // MARK: All

  /// Takes the ids from all tasks. Returns both, for cancelling and releasing.
  package mutating func cancelAll() -> [Remains] {
    slots.indices.compactMap { slots[$0].state == .free ? nil : cancel($0) }
  }

  /// From now on, nothing is added. Returns all tasks, for cancelling, and their ids.
  package mutating func close() -> [Remains] {
    isClosed = true
    return cancelAll()
  }

  /// Keeps a waiter until all tasks have ended. Returns what to take it back by, or `nil` if there are none.
  package mutating func wait(_ waiter: Waiter) -> Int? {
    if count == 0 { return nil }
    nextWaiter += 1
    waiters[nextWaiter] = waiter
    return nextWaiter
  }

  /// Gives a waiter back that waits no more.
  package mutating func stopWaiting(_ waiter: Int) -> Waiter? {
    waiters.removeValue(forKey: waiter)
  }

  /// Takes the id from a task. Returns it, and the task if it is there already.
  private mutating func cancel(_ slot: Int) -> Remains {
    if slots[slot].state == .starting { slots[slot].state = .startingCancelled }
    return Remains(member: slots[slot].member, id: unlink(slot))
  }
}

// MARK: - Storage

extension TaskRegistry {
  private subscript(first list: List) -> Int {
    get {
      switch list {
      case .free: firstFree
      case .ids(let bucket): buckets[bucket]
      }
    }
    set {
      switch list {
      case .free: firstFree = newValue
      case .ids(let bucket): buckets[bucket] = newValue
      }
    }
  }

  private mutating func insert(_ slot: Int, in list: List) {
    let first = self[first: list]
    slots[slot].previous = TaskRegistry.none
    slots[slot].next = first
    if first != TaskRegistry.none { slots[first].previous = slot }
    self[first: list] = slot
  }

  private mutating func remove(_ slot: Int, from list: List) {
    let (previous, next) = (slots[slot].previous, slots[slot].next)
    if previous == TaskRegistry.none {
      self[first: list] = next
    } else {
      slots[previous].next = next
    }
    if next != TaskRegistry.none { slots[next].previous = previous }
  }

  /// A slot is not used any more. If most are not, those at the end are given back.
  private mutating func free(_ slot: Int) {
    slots[slot].state = .free
    insert(slot, in: .free)
    if slots.count > 4 * max(count, TaskRegistry.keptCapacity) { shrink() }
  }

  private mutating func shrink() {
    while let last = slots.indices.last, slots[last].state == .free {
      remove(last, from: .free)
      slots.removeLast()
    }
    // An array keeps its capacity, a copy does not. Not for a few, or it would be copied each time.
    if slots.capacity > 2 * max(slots.count, TaskRegistry.keptCapacity) { slots = slots.map { $0 } }
  }

  private func list(of hash: Int) -> List {
    .ids(bucket: hash & (buckets.count - 1))
  }

  private func forEachSlot(withHash hash: Int, _ body: (Int, TaskID) -> Void) {
    if buckets.isEmpty { return }
    var slot = self[first: list(of: hash)]
    while slot != TaskRegistry.none {
      if let id = slots[slot].id, id.hash == hash { body(slot, id) }
      slot = slots[slot].next
    }
  }

  private mutating func link(_ slot: Int, _ id: TaskID) {
    idCount += 1
    slots[slot].id = id
    if idCount > buckets.count {
      rebuildLists()
    } else {
      insert(slot, in: list(of: id.hash))
    }
  }

  /// Takes the id from a slot that may have one.
  private mutating func unlink(_ slot: Int) -> TaskID? {
    guard let id = slots[slot].id.take() else { return nil }
    idCount -= 1
    remove(slot, from: list(of: id.hash))
    if buckets.count > 8 * max(idCount, TaskRegistry.keptCapacity) { rebuildLists() }
    return id
  }

  /// Makes about twice as many lists as there are ids; a power of two.
  private mutating func rebuildLists() {
    var size = TaskRegistry.keptCapacity
    while size < 2 * idCount { size *= 2 }
    buckets = Array(repeating: TaskRegistry.none, count: size)
    for slot in slots.indices {
      if let id = slots[slot].id { insert(slot, in: list(of: id.hash)) }
    }
  }
}
