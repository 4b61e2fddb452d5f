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
package struct TaskRegistry: Sendable {
  private struct Entry: Keyed {
    enum State: Sendable {
      /// The task is being made.
      case starting
      /// The task is being made, and must be cancelled when it is there.
      case startingCancelled
      case running
      /// The task has ended before the one who made it could say so.
      case finished
    }

    var state = State.starting
    var member: Member?
    var link = KeyLink()
  }

  private var slots = KeyedSlots<Entry>()
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
    return slots.insert(Entry())
  }

  /// The task of a slot is there. Returns whether it must be cancelled.
  package mutating func start(_ slot: Int, _ member: Member) -> Bool {
    let state = slots[slot]?.state
    if state == .finished {
      _ = slots.remove(slot)
      return false
    }
    slots[slot]?.state = .running
    slots[slot]?.member = member
    return state == .startingCancelled
  }

  /// What is left of a task.
  package struct Remains: Sendable {
    package var member: Member?
    package var id: AnyID?
    /// Who waits for the end of all, if this was the last.
    package var waiters: [Waiter] = []
  }

  /// The task of a slot has ended.
  package mutating func finish(_ slot: Int) -> Remains {
    count -= 1
    var remains = Remains(member: slots[slot]?.member.take(), id: slots.unlink(slot))
    if slots[slot]?.state == .running {
      _ = slots.remove(slot)
    } else {
      slots[slot]?.state = .finished
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
    package let id: AnyID
  }

  /// The tasks whose ids have a hash. Which of these are equal to another is for the caller to ask, without a
  /// lock.
  package func holders(ofHash hash: Int) -> [Holder] {
    var holders: [Holder] = []
    slots.forEach(withHash: hash) { holders.append(Holder(slot: $0, id: $1)) }
    return holders
  }

  /// Makes room for a task with an id, which it has from now on. Returns its slot, or `nil` if this is closed.
  ///
  /// Also returns the tasks that had ids of that hash before. The caller compares them, and then cancels or
  /// withdraws: once, because a task that is added meanwhile finds this one and compares it in turn. One that runs
  /// beside them need not know them.
  package mutating func reserve(
    id: AnyID,
    besideOthers: Bool = false
  ) -> (slot: Int, others: [Holder])? {
    let others = besideOthers ? [] : holders(ofHash: id.hash)
    guard let slot = reserve() else { return nil }
    slots.link(slot, id)
    return (slot, others)
  }

  /// Takes the ids, which the caller keeps, from their tasks. Returns those tasks, for cancelling; `nil` if none
  /// of them has its id any more.
  package mutating func cancel(_ holders: [Holder]) -> [Member]? {
    let found = holders.filter(isThere)
    return found.isEmpty ? nil : found.compactMap { cancel($0.slot).member }
  }

  /// The task of a slot will not be made if one of some others still has its id. Returns whether that is so.
  package mutating func withdraw(_ slot: Int, ifThereIsOneOf others: [Holder]) -> Bool {
    guard others.contains(where: isThere) else { return false }
    count -= 1  // It cannot be the last: the other one has not ended.
    _ = slots.unlink(slot)  // Released by the caller, who keeps it.
    _ = slots.remove(slot)
    return true
  }

  // MARK: All

  /// Takes the ids from all tasks. Returns both, for cancelling and releasing.
  package mutating func cancelAll() -> [Remains] {
    slots.used.map { cancel($0) }
  }

  /// From now on, nothing is added.
  package mutating func close() {
    isClosed = true
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

  /// Whether a task still has its id.
  private func isThere(_ holder: Holder) -> Bool {
    slots[holder.slot]?.link.id === holder.id
  }

  /// Takes the id from a task. Returns it, and the task if it is there already.
  private mutating func cancel(_ slot: Int) -> Remains {
    if slots[slot]?.state == .starting { slots[slot]?.state = .startingCancelled }
    return Remains(member: slots[slot]?.member, id: slots.unlink(slot))
  }
}
