/// A task in a registry: one that the bag made, or one that was stored.
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

/// The tasks of a ``TaskBag``: a value type without a lock.
///
/// The caller cancels, calls or releases what it returns after unlocking. A task has a slot from before it
/// exists until after it has ended:
///
/// ```
///   free ── reserve ──▶ starting ── start ───▶ running ── finish ──▶ free
///                          │
///                          └ finish ▶ finished ── start ──────────▶ free
/// ```
///
/// A task is removed by its slot and not by its id: the end of a replaced task must not remove its successor.
package struct TaskRegistry: Sendable {
  private enum State: Sendable {
    /// The task is being made.
    case starting
    /// The task is being made, and must be cancelled when it exists.
    case startingCancelled
    case running
    /// The task ended before ``start(_:_:)`` was called.
    case finished
  }

  private var slots = KeyedSlots<State, Member?>()
  private var waiters: [Int: Waiter] = [:]
  private var nextWaiter = 0

  /// How many tasks have not ended.
  package private(set) var count = 0
  package private(set) var isClosed = false

  package init() {}

  /// A completion to call when all tasks have ended.
  package struct Waiter: Sendable {
    package let completion: @Sendable (Result<Void, any Error>) -> Void

    package init(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
      self.completion = completion
    }
  }

  // MARK: A task's life

  /// Reserves a slot for a task without an id. Returns `nil` if the registry is closed.
  package mutating func reserve() -> Int? {
    reserve(nil)
  }

  private mutating func reserve(_ id: (any AnyID)?) -> Int? {
    if isClosed { return nil }
    count += 1
    return slots.insert(nil, .starting, id: id)
  }

  /// The task of a slot exists. Returns whether to cancel it.
  package mutating func start(_ slot: Int, _ member: Member) -> Bool {
    let state = slots.state(of: slot)
    if state == .finished {
      _ = slots.remove(slot)
      return false
    }
    slots.update(slot, .running, member)
    return state == .startingCancelled
  }

  /// What remains of a task.
  package struct Remains: Sendable {
    package var member: Member?
    package var id: (any AnyID)?
    /// The waiters to complete, if this was the last task.
    package var waiters: [Waiter] = []
  }

  /// The task of a slot has ended.
  package mutating func finish(_ slot: Int) -> Remains {
    count -= 1
    var remains = Remains()
    if slots.state(of: slot) == .running, let removed = slots.remove(slot) {
      remains.member = removed.element
      remains.id = removed.id
    } else {
      slots.update(slot, .finished)
      remains.id = slots.unlink(slot)
    }
    if count == 0, !waiters.isEmpty {
      remains.waiters = waiters.keys.sorted().compactMap { waiters[$0] }
      waiters = [:]
    }
    return remains
  }

  // MARK: Ids

  /// A task that has an id.
  package struct Holder: Sendable {
    package let slot: Int
    package let id: any AnyID
  }

  /// Returns the tasks whose ids have a hash. The caller compares the ids without the lock.
  package func holders(ofHash hash: Int) -> [Holder] {
    var holders: [Holder] = []
    var slot = slots.first(withHash: hash)
    while let current = slot {
      if let id = slots.id(of: current) { holders.append(Holder(slot: current, id: id)) }
      slot = slots.next(withHash: hash, after: current)
    }
    return holders
  }

  /// Reserves a slot for a task with an id, which the task has from now on. Returns `nil` if the registry is
  /// closed.
  ///
  /// Also returns the tasks with ids of the same hash. The caller compares them once, and then cancels them
  /// or withdraws: a task that is added meanwhile finds this one and compares it in turn. With `besideOthers`
  /// they are not needed.
  package mutating func reserve(
    id: any AnyID,
    besideOthers: Bool = false
  ) -> (slot: Int, others: [Holder])? {
    let others = besideOthers ? [] : holders(ofHash: id.hash)
    guard let slot = reserve(id) else { return nil }
    return (slot, others)
  }

  /// Takes the ids from their tasks and returns these tasks, to be cancelled; `nil` if none of them still has
  /// its id. The caller keeps the ids.
  package mutating func cancel(_ holders: [Holder]) -> [Member]? {
    let found = holders.filter(isThere)
    return found.isEmpty ? nil : found.compactMap { cancel($0.slot).member }
  }

  /// Gives up a slot if one of the other tasks still has its id. Returns whether it did.
  package mutating func withdraw(_ slot: Int, ifThereIsOneOf others: [Holder]) -> Bool {
    guard others.contains(where: isThere) else { return false }
    count -= 1  // It cannot be the last: the other one has not ended.
    _ = slots.remove(slot)  // The caller keeps the id, and releases it.
    return true
  }

  // MARK: All

  /// Takes the ids from all tasks. Returns both, to be cancelled and released.
  package mutating func cancelAll() -> [Remains] {
    slots.used.map { cancel($0) }
  }

  /// Adds nothing from now on.
  package mutating func close() {
    isClosed = true
  }

  /// Keeps a waiter until all tasks have ended. Returns its token, or `nil` if there are no tasks.
  package mutating func wait(_ waiter: Waiter) -> Int? {
    if count == 0 { return nil }
    nextWaiter += 1
    waiters[nextWaiter] = waiter
    return nextWaiter
  }

  /// Returns a waiter that stops waiting.
  package mutating func stopWaiting(_ waiter: Int) -> Waiter? {
    waiters.removeValue(forKey: waiter)
  }

  /// Whether a task still has its id.
  private func isThere(_ holder: Holder) -> Bool {
    slots.id(of: holder.slot) === holder.id
  }

  /// Takes the id from a task. Returns it, and the task if it already exists.
  private mutating func cancel(_ slot: Int) -> Remains {
    if slots.state(of: slot) == .starting { slots.update(slot, .startingCancelled) }
    return Remains(member: slots[slot] ?? nil, id: slots.unlink(slot))
  }
}
