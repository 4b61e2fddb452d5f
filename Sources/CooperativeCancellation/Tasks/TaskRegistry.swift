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
package struct TaskRegistry: Sendable {
  private var tasks = TaskTable()
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
    let state = tasks.state(of: slot)
    if state == .finished {
      _ = tasks.remove(slot)
      return false
    }
    tasks.run(slot, member)
    return state == .startingCancelled
  }

  /// The task of a slot has ended.
  package mutating func finish(_ slot: Int) -> Released {
    count -= 1
    var released = Released()
    if tasks.state(of: slot) == .running {
      (released.member, released.id) = tasks.remove(slot)
    } else {
      tasks.update(slot, .finished)
      released.id = tasks.unlink(slot)
    }
    if count == 0, !endHandlers.isEmpty {
      released.endHandlers = endHandlers.keys.sorted().compactMap { endHandlers[$0] }
      endHandlers = [:]
    }
    return released
  }

  // MARK: Ids

  /// Returns the tasks whose ids have a hash. The caller compares the ids without the lock.
  package func holders(ofHash hash: Int) -> [IDHolder] {
    tasks.holders(ofHash: hash)
  }

  /// Reserves a slot for a task with an id, which the task has from now on. Returns `nil` if the registry is closed, or
  /// else also the tasks with ids of the same hash, unless `besideOthers`. The caller compares them once, and then
  /// cancels them or withdraws: a task that is added meanwhile finds this one and compares it in turn.
  package mutating func reserve(
    id: any AnyID,
    besideOthers: Bool = false
  ) -> (slot: Int, others: [IDHolder])? {
    let others = besideOthers ? [] : holders(ofHash: id.hash)
    guard let slot = reserve(id) else { return nil }
    return (slot, others)
  }

  /// Takes the ids from their tasks and returns these tasks, to be cancelled; `nil` if none of them still has
  /// its id. The caller keeps the ids.
  package mutating func cancel(_ holders: [IDHolder]) -> [Member]? {
    let found = holders.filter(isThere)
    return found.isEmpty ? nil : found.compactMap { cancel($0.slot).member }
  }

  /// Gives up a slot if one of the other tasks still has its id. Returns whether it did.
  package mutating func withdraw(_ slot: Int, ifThereIsOneOf others: [IDHolder]) -> Bool {
    guard others.contains(where: isThere) else { return false }
    count -= 1  // It cannot be the last: the other one has not ended.
    _ = tasks.remove(slot)  // The caller keeps the id, and releases it.
    return true
  }

  private func isThere(_ holder: IDHolder) -> Bool {
    tasks.id(in: holder.slot) === holder.id
  }

  /// Takes the id from a task. Returns it, and the task if it already exists.
  private mutating func cancel(_ slot: Int) -> Released {
    if tasks.state(of: slot) == .starting { tasks.update(slot, .startingCancelled) }
    return Released(member: tasks.member(in: slot), id: tasks.unlink(slot))
  }

  // MARK: All

  /// Takes the ids from all tasks. Returns both, to be cancelled and released.
  package mutating func cancelAll() -> [Released] {
    tasks.used.map { cancel($0) }
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
