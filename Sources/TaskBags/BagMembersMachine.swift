internal import CancellationInternals

/// A task in a registry: one that the bag made, or one that was stored.
@usableFromInline package enum Member: Sendable {
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
/// The caller cancels, resumes or releases what it returns after unlocking. The `==` and
/// `hash(into:)` of the ids run under the caller's lock. A task has a slot from before it exists
/// until after it has ended:
///
/// ```
///   free ── reserve ──▶ starting ── start ───▶ running ── finish ──▶ free
///                          │
///                          └ finish ▶ finished ── start ──────────▶ free
/// ```
///
/// A task is removed by its slot and not by its id, because the end of a replaced task must not
/// remove its successor.
///
/// A task keeps its id until it has ended, also when it is cancelled. A later one with the id,
/// unless it asked not to wait, is blocked until it is the first of them. One that is cancelled
/// while it is blocked never begins, so it loses the id at once.
///
/// No reservation looks at all tasks with an id, because what it replaces is taken as a whole.
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

  /// What is read most often. It has no references, because each copy of one would retain an
  /// object.
  private struct Status: Sendable {
    /// Slots are reused, numbers are not.
    let number: Int
    var state = State.starting
    /// Whether it is cancelled, if it has no id. Otherwise, its line says so.
    var isCancelled = false
    /// Whether others with its id must end before it begins.
    var isBlocked = false
  }

  private var tasks = Slots<Entry>()
  /// One for each slot, and perhaps more.
  private var statuses: [Status] = []
  /// The tasks with an id, by that id.
  private var lines: [BagID: BagLine] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var lastNumber = 0

  /// How many tasks are on their way to their actor.
  private var travelling = 0

  /// How many tasks have not ended.
  package private(set) var count = 0
  package var isClosed = false

  package init() {}

  // MARK: A task's life

  /// The place of a task that is about to be made.
  package struct Reservation: Sendable {
    package let slot: Int
    /// Whether it begins among the `Departures`, and says when it has arrived.
    package let travels: Bool
    /// To be cancelled.
    package var replaced = CancelledTasks()
    /// One of the tasks for whose end it waits, if any.
    package var waitsFor: BagID?
  }

  /// Reserves a slot for a task without an id. Returns `nil` if the registry is closed.
  package mutating func reserve(by route: BagRoute = .direct) -> Reservation? {
    isClosed ? nil : insert(nil, by: route)
  }

  /// Reserves a slot for a task with an id. Returns `nil` if the registry is closed, or if another
  /// task keeps the id.
  package mutating func reserve(
    _ id: BagID,
    ifTaken policy: TaskBag.TakenIDPolicy,
    hasBegun: Bool = false,
    by route: BagRoute = .direct
  ) -> Reservation? {
    if isClosed || policy == .keep && isActive(id) { return nil }
    var reservation = insert(id, by: route)
    let slot = reservation.slot
    // Searches once, and never releases a key, as `updateValue` may.
    let joined = lines[id, default: BagLine()].join(
      (slot, statuses[slot].number),
      replaces: policy != .runAlongside,
      waits: policy != .replaceAtOnce && !hasBegun
    )
    reservation.replaced = joined.replaced
    if let blocker = joined.blocker {
      statuses[slot].isBlocked = true
      reservation.waitsFor = tasks[blocker]?.id
    }
    return reservation
  }

  private mutating func insert(_ id: BagID?, by route: BagRoute) -> Reservation {
    lastNumber += 1
    count += 1
    let slot = tasks.insert(Entry(id: id))
    let status = Status(number: lastNumber)
    if slot < statuses.count { statuses[slot] = status } else { statuses.append(status) }
    // It would overtake those that are on their way to the same actor, and only one number counts
    // all.
    let travels = route == .fromElsewhere || route == .onActor && travelling > 0
    if travels { travelling += 1 }
    return Reservation(slot: slot, travels: travels)
  }

  /// A task that travels has begun on its actor. A later one that is made there can go there
  /// directly.
  package mutating func arrive() { travelling -= 1 }

  /// The task of a slot exists. Returns whether to cancel it.
  package mutating func start(_ slot: Int, _ member: Member) -> Bool {
    // It ended before it was known here, and `finish` has left the slot to this.
    if statuses[slot].state == .finished {
      _ = tasks.remove(slot)
      return false
    }
    statuses[slot].state = .running
    tasks.update(slot) { $0.member = member }
    guard let id = tasks[slot]?.id else { return statuses[slot].isCancelled }
    // Without a line, it never begins, and the others have ended.
    guard let line = lines.index(forKey: id) else { return true }
    return !lines.values[line].start(statuses[slot].number, member)
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
    if statuses[slot].state == .running {
      let entry = tasks.remove(slot)
      released.member = entry?.member
      released.id = entry?.id
    } else {
      // It ended before it was known here: `start` frees the slot.
      statuses[slot].state = .finished
      tasks.update(slot) { released.id = $0.id.take() }
    }
    if let id = released.id { leaveLine(of: id, statuses[slot].number, &released) }
    let most = 4 * max(tasks.count, 32)
    if statuses.count > most { statuses = Array(statuses.prefix(tasks.count)) }
    // It was the last one, so those who wait for all may go on.
    if count == 0, !waiters.isEmpty {
      released.waiters += waiters.keys.sorted().compactMap { waiters[$0] }
      waiters = [:]
    }
    return released
  }

  // MARK: The beginning of a task that is blocked

  /// Keeps a waiter until the task of a slot may begin. Returns whether it may begin now.
  package mutating func waitToBegin(_ slot: Int, _ waiter: Waiter) -> Bool {
    if !statuses[slot].isBlocked, !isCancelled(slot) { return true }
    tasks.update(slot) { $0.waiter = waiter }
    return false
  }

  /// The task of a slot waits no longer, because it may begin or was cancelled. Returns its waiter,
  /// to resume or to release.
  package mutating func stopWaitingToBegin(_ slot: Int) -> Waiter? {
    var waiter: Waiter?
    tasks.update(slot) { waiter = $0.waiter.take() }
    return waiter
  }

  // MARK: Ids and cancellation

  package func id(in slot: Int) -> BagID? { tasks[slot]?.id }

  /// The slots of the tasks with an id, also of cancelled ones, but not of those that never begin.
  package func holders(of id: BagID) -> [Int] {
    lines[id]?.holders.slots.compactMap(\.element) ?? []
  }

  /// How many tasks with an id were looked at or moved so far. A test limits them.
  package func steps(of id: BagID) -> Int { lines[id]?.steps ?? 0 }

  /// Whether a task with an id is not cancelled.
  private func isActive(_ id: BagID) -> Bool {
    lines.index(forKey: id).map { lines.values[$0].active.count > 0 } ?? false
  }

  private mutating func isCancelled(_ slot: Int) -> Bool {
    guard let id = tasks[slot]?.id else { return statuses[slot].isCancelled }
    guard let line = lines.index(forKey: id) else { return true }
    return !lines.values[line].isActive(statuses[slot].number)
  }

  /// Removes a task from those with its id. Adds the key after the last one, or the waiter of one
  /// that may begin now.
  private mutating func leaveLine(of id: BagID, _ number: Int, _ released: inout Released) {
    // Without a line, it never began, and the others have ended.
    guard let line = lines.index(forKey: id) else { return }
    let next = lines.values[line].removeTask(number)
    if lines.values[line].holders.count == 0 {
      released.key = lines.removeAndShrink(at: line).key
    } else if let next {
      statuses[next].isBlocked = false
      // It has no waiter if its task has not begun to wait. Then it finds that it is not blocked.
      if let waiter = stopWaitingToBegin(next) { released.waiters.append(waiter) }
    }
  }

  /// Returns the tasks to cancel, or `nil` if there are none that were not cancelled.
  package mutating func cancel(_ id: BagID) -> CancelledTasks? {
    guard let line = lines.index(forKey: id), lines.values[line].active.count > 0 else {
      return nil
    }
    return lines.values[line].cancelAll()
  }

  /// Returns the tasks to cancel.
  package mutating func cancelAll() -> [Member] { tasks.used.compactMap { cancel($0) } }

  /// Returns the task, to be cancelled, if it already exists and is not cancelled.
  private mutating func cancel(_ slot: Int) -> Member? {
    if statuses[slot].isCancelled { return nil }
    let task = tasks[slot]
    guard let id = task?.id else {
      statuses[slot].isCancelled = true
      return task?.member
    }
    // Without a line, it never begins, and so it was cancelled.
    guard let line = lines.index(forKey: id) else { return nil }
    return lines.values[line].cancel(statuses[slot].number) ? task?.member : nil
  }

  // MARK: All

  /// Keeps a waiter until all tasks have ended. Returns its token, or `nil` if there are no tasks.
  package mutating func wait(_ waiter: Waiter) -> Int? {
    if count == 0 { return nil }
    lastNumber += 1
    waiters[lastNumber] = waiter
    return lastNumber
  }

  /// A task was cancelled while it waited for all. Returns its waiter, to release.
  package mutating func stopWaiting(_ token: Int) -> Waiter? { waiters.removeValue(forKey: token) }
}
