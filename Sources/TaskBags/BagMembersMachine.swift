internal import CancellationInternals

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
/// The caller cancels, resumes or releases what it returns after unlocking. The `==` and `hash(into:)` of the ids run under
/// the caller's lock. A task has a slot from before it exists until after it has ended:
///
/// ```
///   free ── reserve ──▶ starting ── start ───▶ running ── finish ──▶ free
///                          │
///                          └ finish ▶ finished ── start ──────────▶ free
/// ```
///
/// A task is removed by its slot and not by its id: the end of a replaced task must not remove its successor.
///
/// A task keeps its id until it has ended, also when it is cancelled. A later one with the id, unless it asked not to
/// wait, is blocked until then: by those that may have begun. One that is cancelled while it is blocked never begins, so
/// it blocks no other, and the one that replaces it takes its place: each task blocks at most one.
package struct BagMembersMachine<Waiter: Sendable>: Sendable {
  private enum State: Sendable {
    /// The task is being made.
    case starting
    case running
    /// The task ended before it was known.
    case finished
  }

  private struct Entry: Sendable {
    var member: Member?
    var id: BagID?
    /// To resume when this task may begin.
    var waiter: Waiter?
  }

  /// What is read most often: no references, because each copy of one would retain an object.
  private struct Link: Sendable {
    /// Slots are reused, numbers are not.
    let number: Int
    var state = State.starting
    var isCancelled = false
    /// How many tasks must end before this one may begin.
    var blockers = 0
    /// The task that this one blocks.
    var blocked: (slot: Int, number: Int)?
    /// The tasks with the same id, in a list, but for those that never begin. The newest is the first.
    var isListed = false
    var newer: Int?
    var older: Int?

    var mayBegin: Bool { !isCancelled && blockers == 0 }
  }

  private var tasks = Slots<Entry>()
  /// One for each slot, and perhaps more.
  private var links: [Link] = []
  private var newest: [BagID: Int?] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var lastNumber = 0

  /// How many tasks have not ended.
  package private(set) var count = 0
  package var isClosed = false

  package init() {}

  // MARK: A task's life

  /// The place of a task that is about to be made.
  package struct Reservation: Sendable {
    package let slot: Int
    /// To be cancelled.
    package var replaced: [Member] = []
    /// One of the tasks for whose end it waits, if any.
    package var waitsFor: BagID?
  }

  /// Reserves a slot for a task without an id. Returns `nil` if the registry is closed.
  package mutating func reserve() -> Int? {
    isClosed ? nil : insert(nil)
  }

  /// Reserves a slot for a task with an id. Returns `nil` if the registry is closed, or if another task keeps the id.
  package mutating func reserve(
    _ id: BagID,
    ifTaken policy: TaskBag.TakenIDPolicy,
    hasBegun: Bool = false
  ) -> Reservation? {
    if isClosed || policy == .keep && holders(of: id).contains(where: { !links[$0].isCancelled }) {
      return nil
    }
    let slot = insert(id)
    let others = policy == .runAlongside ? [] : list(links[slot].older)
    if others.isEmpty { return Reservation(slot: slot) }
    let replaced = others.compactMap { cancel($0) }
    if policy == .replaceAtOnce || hasBegun { return Reservation(slot: slot, replaced: replaced) }
    let blockers = others.filter { links[$0].blockers == 0 }
    for other in blockers { links[other].blocked = (slot, lastNumber) }
    links[slot].blockers = blockers.count
    let blocker = blockers.first.flatMap { tasks[$0]?.id }
    return Reservation(slot: slot, replaced: replaced, waitsFor: blocker)
  }

  private mutating func insert(_ id: BagID?) -> Int {
    lastNumber += 1
    count += 1
    let slot = tasks.insert(Entry(id: id))
    let new = Link(number: lastNumber)
    if slot < links.count { links[slot] = new } else { links.append(new) }
    guard let id else { return slot }
    // Searches once, and never releases a key, as `updateValue` may.
    var older: Int? = slot
    swap(&older, &newest[id, default: nil])
    links[slot].older = older
    links[slot].isListed = true
    if let older { links[older].newer = slot }
    return slot
  }

  /// The task of a slot exists. Returns whether to cancel it.
  package mutating func start(_ slot: Int, _ member: Member) -> Bool {
    if links[slot].state == .finished {
      _ = tasks.remove(slot)
      return false
    }
    links[slot].state = .running
    tasks.update(slot) { $0.member = member }
    return links[slot].isCancelled
  }

  /// What the registry no longer needs: to be resumed, and released, after unlocking.
  package struct Released: Sendable {
    package var member: Member?
    package var id: BagID?
    package var key: BagID?
    package var waiters: [Waiter] = []
  }

  /// The task of a slot has ended.
  package mutating func finish(_ slot: Int) -> Released {
    count -= 1
    var released = Released()
    if let next = unblock(after: slot) { released.waiters = [next] }
    if links[slot].state == .running {
      let entry = tasks.remove(slot)
      (released.member, released.id) = (entry?.member, entry?.id)
    } else {
      links[slot].state = .finished
      tasks.update(slot) { released.id = $0.id.take() }
    }
    if let id = released.id, links[slot].isListed { released.key = unlink(slot, id) }
    if links.count > 4 * max(tasks.count, 32) { links = Array(links.prefix(tasks.count)) }
    if count == 0, !waiters.isEmpty {
      released.waiters += waiters.keys.sorted().compactMap { waiters[$0] }
      waiters = [:]
    }
    return released
  }

  // MARK: The beginning of a task that is blocked

  /// Keeps a waiter until the task of a slot may begin. Returns whether it may begin now.
  package mutating func waitToBegin(_ slot: Int, _ waiter: Waiter) -> Bool {
    if links[slot].mayBegin { return true }
    tasks.update(slot) { $0.waiter = waiter }
    return false
  }

  package mutating func stopWaitingToBegin(_ slot: Int) -> Waiter? {
    var waiter: Waiter?
    tasks.update(slot) { waiter = $0.waiter.take() }
    return waiter
  }

  /// Returns the waiter of the task that was blocked, if it may begin.
  private mutating func unblock(after slot: Int) -> Waiter? {
    guard let (next, number) = links[slot].blocked, next < links.count,
      links[next].number == number
    else { return nil }
    links[next].blockers -= 1
    return links[next].mayBegin ? stopWaitingToBegin(next) : nil
  }

  // MARK: Ids and cancellation

  package func id(in slot: Int) -> BagID? { tasks[slot]?.id }

  /// The slots of the tasks with an id, also of cancelled ones, but not of those that never begin.
  package func holders(of id: BagID) -> [Int] {
    list(newest[id] ?? nil)
  }

  private func list(_ newest: Int?) -> [Int] {
    var (found, next): ([Int], Int?) = ([], newest)
    while let slot = next {
      found.append(slot)
      next = links[slot].older
    }
    return found
  }

  /// Removes a slot from the tasks with its id. Returns the key of these tasks if it was the last one.
  private mutating func unlink(_ slot: Int, _ id: BagID) -> BagID? {
    let (newer, older) = (links[slot].newer, links[slot].older)
    links[slot].isListed = false
    if let older { links[older].newer = newer }
    if let newer {
      links[newer].older = older
    } else if let index = newest.index(forKey: id) {
      if older == nil { return newest.removeAndShrink(at: index).key }
      newest.values[index] = older
    }
    return nil
  }

  /// Returns the tasks to cancel, or `nil` if there are none that were not cancelled.
  package mutating func cancel(_ id: BagID) -> [Member]? {
    let found = holders(of: id).filter { !links[$0].isCancelled }
    return found.isEmpty ? nil : found.compactMap { cancel($0) }
  }

  /// Returns the tasks to cancel.
  package mutating func cancelAll() -> [Member] {
    tasks.used.compactMap { cancel($0) }
  }

  /// Returns the task, to be cancelled, if it already exists and is not cancelled.
  private mutating func cancel(_ slot: Int) -> Member? {
    if links[slot].isCancelled { return nil }
    links[slot].isCancelled = true
    // If it is blocked, it never begins, and no later task looks at it. It is not the last with its id.
    if links[slot].blockers > 0, let id = tasks[slot]?.id { _ = unlink(slot, id) }
    return tasks[slot]?.member
  }

  // MARK: All

  /// Keeps a waiter until all tasks have ended. Returns its token, or `nil` if there are no tasks.
  package mutating func wait(_ waiter: Waiter) -> Int? {
    if count == 0 { return nil }
    lastNumber += 1
    waiters[lastNumber] = waiter
    return lastNumber
  }

  package mutating func stopWaiting(_ token: Int) -> Waiter? {
    waiters.removeValue(forKey: token)
  }
}
