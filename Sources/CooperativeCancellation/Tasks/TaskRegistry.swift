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

package struct IDHolder: Sendable {
  package let slot: Int
  package let id: any AnyID
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
///
/// A task keeps its id until it has ended, also when it is cancelled. A later one with the id, unless it asked not to
/// wait, is blocked until then: by those that may have begun. One that is cancelled while it is blocked never begins, so
/// it blocks no other, and the one that replaces it takes its place: each task blocks at most one.
package struct TaskRegistry: Sendable {
  private var tasks = TaskTable()
  /// Of the tasks that are blocked, by slot.
  private var beginHandlers: [Int: EndHandler] = [:]
  private var endHandlers: [Int: EndHandler] = [:]
  private var lastToken = 0

  /// How many tasks have not ended.
  package private(set) var count = 0
  package private(set) var isClosed = false

  package init() {}

  package struct EndHandler: Sendable {
    package let completion: @Sendable (Result<Void, any Error>) -> Void

    package init(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
      self.completion = completion
    }
  }

  /// What the registry no longer needs: to be cancelled or called, and released, after unlocking.
  package struct Released: Sendable {
    package var member: Member?
    package var id: (any AnyID)?
    /// Those to call, if this was the last task.
    package var endHandlers: [EndHandler] = []
  }

  // MARK: A task's life

  /// Reserves a slot, for a task without an id by default. Returns `nil` if the registry is closed.
  package mutating func reserve(_ id: (any AnyID)? = nil) -> Int? {
    if isClosed { return nil }
    count += 1
    return tasks.insert(id)
  }

  /// The task of a slot exists. Returns whether to cancel it.
  package mutating func start(_ slot: Int, _ member: Member) -> Bool {
    if tasks.links[slot].state == .finished {
      _ = tasks.remove(slot)
      return false
    }
    tasks.run(slot, member)
    return tasks.links[slot].isCancelled
  }

  /// The task of a slot has ended.
  package mutating func finish(_ slot: Int) -> Released {
    count -= 1
    var released = Released()
    if let next = unblock(after: slot) { released.endHandlers = [next] }
    if tasks.links[slot].state == .running {
      (released.member, released.id) = tasks.remove(slot)
    } else {
      tasks.links[slot].state = .finished
      released.id = tasks.unlink(slot)
    }
    if count == 0, !endHandlers.isEmpty {
      released.endHandlers += endHandlers.keys.sorted().compactMap { endHandlers[$0] }
      endHandlers = [:]
    }
    return released
  }

  // MARK: The beginning of a task that is blocked

  /// Keeps a handler until the task of a slot may begin. Returns whether it may begin now.
  package mutating func waitToBegin(_ slot: Int, _ handler: EndHandler) -> Bool {
    if mayBegin(slot) { return true }
    beginHandlers[slot] = handler
    return false
  }

  package mutating func stopWaitingToBegin(_ slot: Int) -> EndHandler? {
    beginHandlers.removeValue(forKey: slot)
  }

  private func mayBegin(_ slot: Int) -> Bool {
    !tasks.links[slot].isCancelled && tasks.links[slot].blockers == 0
  }

  /// Returns the handler of the task that was blocked, if it may begin.
  private mutating func unblock(after slot: Int) -> EndHandler? {
    guard let (next, number) = tasks.links[slot].blocked.take(), next < tasks.links.count,
      tasks.links[next].number == number
    else { return nil }
    tasks.links[next].blockers -= 1
    return mayBegin(next) ? beginHandlers.removeValue(forKey: next) : nil
  }

  // MARK: Ids

  /// Returns the tasks whose ids have a hash, by default without those that are cancelled. The caller compares the ids
  /// without the lock.
  package func holders(ofHash hash: Int, cancelledToo: Bool = false) -> [IDHolder] {
    tasks.holders(ofHash: hash).filter { cancelledToo || !tasks.links[$0.slot].isCancelled }
  }

  package func id(in slot: Int) -> (any AnyID)? { tasks.id(in: slot) }

  /// Reserves a slot for a task with an id, which the task has from now on. Returns `nil` if the registry is closed, or
  /// else also the tasks with ids of the same hash, unless `besideOthers`. The caller compares them once, and then
  /// cancels them or withdraws: a task that is added meanwhile finds this one and compares it in turn.
  package mutating func reserve(
    id: any AnyID,
    besideOthers: Bool = false
  ) -> (slot: Int, others: [IDHolder])? {
    let others = besideOthers ? [] : holders(ofHash: id.hash, cancelledToo: true)
    guard let slot = reserve(id) else { return nil }
    return (slot, others)
  }

  /// What becomes of a task whose id others have.
  package enum Settlement: Sendable {
    case withdrawn
    /// With the tasks to cancel, and one of those that it waits for, if any.
    case reserved(cancelling: [Member], waitsFor: IDHolder?)
  }

  /// Settles who has an id that was compared: cancels the others, or, if `keeps`, gives up the slot if one of them is
  /// not cancelled. The caller keeps the ids, and releases them.
  package mutating func settle(
    _ slot: Int,
    against others: [IDHolder],
    keeps: Bool,
    waits: Bool
  ) -> Settlement {
    let others = others.filter(isThere)
    if keeps, others.contains(where: isUncancelled) {
      count -= 1  // It cannot be the last: the other one has not ended.
      _ = tasks.remove(slot)
      return .withdrawn
    }
    let members = others.compactMap { cancel($0.slot) }
    guard waits else { return .reserved(cancelling: members, waitsFor: nil) }
    let blocking = others.filter { tasks.links[$0.slot].blockers == 0 }
    // One that was cancelled meanwhile never begins, and leaves its place to the one that cancelled it.
    if !tasks.links[slot].isCancelled {
      for other in blocking {
        tasks.links[other.slot].blocked = (slot, tasks.links[slot].number)
        tasks.links[slot].blockers += 1
      }
    }
    return .reserved(cancelling: members, waitsFor: blocking.first)
  }

  /// Cancels those of the tasks that have not ended and are not cancelled. Returns them, or `nil` if there are none.
  package mutating func cancel(_ holders: [IDHolder]) -> [Member]? {
    let found = holders.filter { isThere($0) && isUncancelled($0) }
    return found.isEmpty ? nil : found.compactMap { cancel($0.slot) }
  }

  private func isThere(_ holder: IDHolder) -> Bool {
    tasks.id(in: holder.slot) === holder.id
  }

  private func isUncancelled(_ holder: IDHolder) -> Bool { !tasks.links[holder.slot].isCancelled }

  /// Returns the task, to be cancelled, if it already exists and is not cancelled.
  private mutating func cancel(_ slot: Int) -> Member? {
    if tasks.links[slot].isCancelled { return nil }
    tasks.links[slot].isCancelled = true
    return tasks.member(in: slot)
  }

  // MARK: All

  /// Returns the tasks to cancel.
  package mutating func cancelAll() -> [Member] {
    tasks.used.compactMap { cancel($0) }
  }

  package mutating func close() {
    isClosed = true
  }

  /// Keeps a handler until all tasks have ended. Returns its token, or `nil` if there are no tasks.
  package mutating func wait(_ handler: EndHandler) -> Int? {
    if count == 0 { return nil }
    lastToken += 1
    endHandlers[lastToken] = handler
    return lastToken
  }

  package mutating func stopWaiting(_ token: Int) -> EndHandler? {
    endHandlers.removeValue(forKey: token)
  }
}
