/// What a task of a ``TaskBag`` is found by.
package final class TaskID: Hashable, Sendable {
  private let value: any Hashable & Sendable

  package init(_ value: some Hashable & Sendable) {
    self.value = value
  }

  package static func == (left: TaskID, right: TaskID) -> Bool {
    left === right || left.value.isSame(as: right.value)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}

/// A task that a registry holds: one that the bag made, or one that it was given.
enum Member: Sendable {
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
/// What it returns is to be cancelled, or released, after unlocking. A task has a slot from before it exists
/// until after it has ended:
///
/// ```
///   free ── reserve ──▶ starting ── start ───▶ running ── finish ──▶ free
///                          │
///                          └ finish ▶ finished ── start ──────────▶ free
/// ```
///
/// It is removed by its slot, never by its id: the end of a task that was replaced cannot evict its
/// successor.
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
  }

  private var slots: [Slot] = []
  private var freeSlots: [Int] = []
  private var slotsByID: [TaskID: [Int]] = [:]
  private var waiters: [@Sendable (Result<Void, any Error>) -> Void] = []

  /// How many tasks have not ended.
  package private(set) var count = 0
  package private(set) var isClosed = false

  package init() {}

  /// How many slots an empty registry keeps for reuse; if there are more, all are given back.
  private static let keptCapacity = 256

  // MARK: Events

  /// Makes room for a task. Returns its slot and the tasks that it replaces, or `nil` if it must not start.
  mutating func reserve(
    id: TaskID?,
    ifTaken policy: TaskBag.TakenIDPolicy
  ) -> (slot: Int, replaced: [Member])? {
    var replaced: [Member] = []
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
      slots.append(Slot())
    }
    slots[slot].state = isClosed ? .startingCancelled : .starting
    if let id, !isClosed {
      slots[slot].id = id
      slotsByID[id, default: []].append(slot)
    }
    count += 1
    return (slot, replaced)
  }

  /// The task of a slot is there. Returns whether it must be cancelled.
  mutating func start(_ slot: Int, _ member: Member) -> Bool {
    let state = slots[slot].state
    if state == .finished {
      free(slot)
      return false
    }
    slots[slot].state = .running
    slots[slot].member = member
    return state == .startingCancelled
  }

  /// The task of a slot has ended. Returns what was held for it, and whom to tell that all have ended.
  mutating func finish(
    _ slot: Int
  ) -> (member: Member?, waiters: [@Sendable (Result<Void, any Error>) -> Void]) {
    count -= 1
    if let id = slots[slot].id { forget(slot, id) }
    let member = slots[slot].member.take()
    if slots[slot].state == .running {
      free(slot)
    } else {
      slots[slot].state = .finished
    }
    guard count == 0, !waiters.isEmpty else { return (member, []) }
    defer { waiters = [] }
    return (member, waiters)
  }

  /// Returns the tasks with an id, for cancelling, and frees the id; `nil` if there is none.
  mutating func cancel(id: TaskID) -> [Member]? {
    slotsByID[id] == nil ? nil : detach(id: id)
  }

  /// Returns all tasks, for cancelling, and frees their ids.
  mutating func cancelAll() -> [Member] {
    slotsByID = [:]
    return slots.indices.compactMap { cancel($0) }
  }

  /// From now on, what is added is to be cancelled at once. Returns all tasks, for cancelling.
  mutating func close() -> [Member] {
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

  private mutating func detach(id: TaskID) -> [Member] {
    (slotsByID.removeValue(forKey: id) ?? []).compactMap { cancel($0) }
  }

  /// Takes the id from a slot. Returns its task, if it is there already.
  private mutating func cancel(_ slot: Int) -> Member? {
    slots[slot].id = nil
    if slots[slot].state == .starting { slots[slot].state = .startingCancelled }
    return slots[slot].member
  }

  private mutating func forget(_ slot: Int, _ id: TaskID) {
    slots[slot].id = nil
    guard var others = slotsByID[id] else { return }
    others.removeAll { $0 == slot }
    slotsByID[id] = others.isEmpty ? nil : others
  }

  private mutating func free(_ slot: Int) {
    slots[slot].state = .free
    freeSlots.append(slot)
    if freeSlots.count == slots.count, slots.count > TaskRegistry.keptCapacity {
      slots = []
      freeSlots = []
      slotsByID = [:]
    }
  }
}
