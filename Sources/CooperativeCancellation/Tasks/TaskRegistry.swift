/// What a task of a ``TaskBag`` is found by.
package struct TaskID: Hashable, Sendable {
  private let value: any Hashable & Sendable

  package init(_ value: some Hashable & Sendable) {
    self.value = value
  }

  package static func == (left: TaskID, right: TaskID) -> Bool {
    AnyHashable(left.value) == AnyHashable(right.value)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}

/// Which tasks a ``TaskBag`` holds: a value type without a lock. What it returns is to be cancelled, or
/// released, after unlocking.
///
/// A task has a slot from before it exists until after it has ended:
///
/// ```
///   free ── reserve ──▶ starting ── start ──▶ running ── finish ──▶ free
///                          │                    │
///                          └ finish ▶ finished ─┴ (start) ────────▶ free
/// ```
///
/// It is removed by its slot, never by its id: the end of a task that was replaced cannot evict its
/// successor.
package struct TaskRegistry: Sendable {
  private enum Slot: Sendable {
    case free
    /// The task is being made. `isCancelled`: it must be cancelled when it is there.
    case starting(id: TaskID?, isCancelled: Bool)
    case running(any ErasedTask, id: TaskID?)
    /// The task has ended before the one who made it could say so.
    case finished
  }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var slotsByID: [TaskID: [Int]] = [:]
  private var waiters: [@Sendable (Result<Void, any Error>) -> Void] = []

  /// How many tasks have not ended.
  package private(set) var count = 0
  package private(set) var isClosed = false

  package init() {}

  /// How many slots are kept for reuse although the registry is empty; more are given back.
  private static let keptCapacity = 64

  // MARK: Events

  /// Makes room for a task. Returns its slot and the tasks that it replaces, or `nil` if it must not start.
  mutating func reserve(
    id: TaskID?,
    ifTaken policy: TaskBag.TakenIDPolicy
  ) -> (slot: Int, replaced: [any ErasedTask])? {
    var replaced: [any ErasedTask] = []
    if let id, slotsByID[id] != nil {
      switch policy {
      case .replace: replaced = detach(id: id)
      case .keep: return nil
      case .runBeside: break
      }
    }
    let slot: Int
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = slots.count
      slots.append(.free)
    }
    slots[slot] = .starting(id: id, isCancelled: isClosed)
    if let id, !isClosed { slotsByID[id, default: []].append(slot) }
    count += 1
    return (slot, replaced)
  }

  /// The task of a slot is there. Returns whether it must be cancelled.
  mutating func start(_ slot: Int, _ task: any ErasedTask) -> Bool {
    switch slots[slot] {
    case .starting(let id, let isCancelled):
      slots[slot] = .running(task, id: id)
      return isCancelled
    case .finished:
      free(slot)
      return false
    case .running, .free:
      return false
    }
  }

  /// The task of a slot has ended. Returns what was held for it, and whom to tell that all have ended.
  mutating func finish(
    _ slot: Int
  ) -> (task: (any ErasedTask)?, waiters: [@Sendable (Result<Void, any Error>) -> Void]) {
    var task: (any ErasedTask)?
    count -= 1
    switch slots[slot] {
    case .starting(let id, _):
      forget(slot, id)
      slots[slot] = .finished
    case .running(let running, let id):
      forget(slot, id)
      task = running
      free(slot)
    case .finished, .free:
      break
    }
    guard count == 0 else { return (task, []) }
    defer { waiters = [] }
    return (task, waiters)
  }

  /// Returns the tasks with an id, for cancelling, and frees the id; `nil` if there is none.
  mutating func cancel(id: TaskID) -> [any ErasedTask]? {
    slotsByID[id] == nil ? nil : detach(id: id)
  }

  /// Returns all tasks, for cancelling, and frees their ids.
  mutating func cancelAll() -> [any ErasedTask] {
    slotsByID = [:]
    return slots.indices.compactMap { cancel($0) }
  }

  /// From now on, what is added is to be cancelled at once. Returns all tasks, for cancelling.
  mutating func close() -> [any ErasedTask] {
    isClosed = true
    return cancelAll()
  }

  /// Calls `completion` when all tasks have ended. Returns whether that is so already.
  mutating func wait(_ completion: @escaping @Sendable (Result<Void, any Error>) -> Void) -> Bool {
    if count == 0 { return true }
    waiters.append(completion)
    return false
  }

  // MARK: Slots

  private mutating func detach(id: TaskID) -> [any ErasedTask] {
    (slotsByID.removeValue(forKey: id) ?? []).compactMap { cancel($0) }
  }

  /// Takes the id from a slot. Returns its task, if it is there already.
  private mutating func cancel(_ slot: Int) -> (any ErasedTask)? {
    switch slots[slot] {
    case .starting:
      slots[slot] = .starting(id: nil, isCancelled: true)
      return nil
    case .running(let task, _):
      slots[slot] = .running(task, id: nil)
      return task
    case .finished, .free:
      return nil
    }
  }

  private mutating func forget(_ slot: Int, _ id: TaskID?) {
    guard let id, var others = slotsByID[id] else { return }
    others.removeAll { $0 == slot }
    slotsByID[id] = others.isEmpty ? nil : others
  }

  private mutating func free(_ slot: Int) {
    slots[slot] = .free
    freeSlots.append(slot)
    if freeSlots.count == slots.count, slots.count > TaskRegistry.keptCapacity {
      slots = []
      freeSlots = []
      slotsByID = [:]
    }
  }
}
