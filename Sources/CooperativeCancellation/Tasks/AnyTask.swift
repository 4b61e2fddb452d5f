/// A task of any type, which is cancelled when its owner releases it.
///
/// ```swift
/// var tasks: Set<AnyTask> = []
/// Task { await listen() }.store(in: &tasks)
/// // When `tasks` is destroyed, the task is cancelled.
/// ```
///
/// A task that has ended is not affected, and its value is still available from the `Task`. Two values for
/// the same task are equal, but each is an owner: the first one released cancels the task. `store(in:)` with
/// a set keeps only one.
///
/// A cancellation handler must not read the property that holds the collection: `tasks = []` runs the handler while it
/// changes that property. ``TaskBag`` has no such restriction.
///
/// May be used from any thread. `cancel()` runs the task's cancellation handlers before it returns, and the library
/// holds no lock meanwhile.
public final class AnyTask: Sendable {
  private let task: any ErasedTask
  private let isDetached = Locked(initially: false)

  /// Takes ownership of a task.
  public init<Success, Failure>(_ task: Task<Success, Failure>) {
    self.task = task
  }

  deinit {
    if !isDetached.locked({ $0 }) { task.cancel() }
  }

  /// Whether the task was cancelled, here or elsewhere.
  public var isCancelled: Bool { task.isCancelled }

  /// Cancels the task. A second call has no effect.
  public func cancel() {
    task.cancel()
  }

  /// Gives up ownership: releasing this does not cancel the task.
  public func detach() {
    isDetached.locked { $0 = true }
  }
}

extension AnyTask: Hashable {
  /// Two are equal if they own the same task.
  public static func == (left: AnyTask, right: AnyTask) -> Bool {
    left.task.isSame(as: right.task)
  }

  /// Hashes the task's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(task)
  }
}

extension Task {
  /// This task as an ``AnyTask``, which cancels it when it is released.
  public func erased() -> AnyTask {
    AnyTask(self)
  }

  /// Keeps this task in a collection, which cancels it when the collection is destroyed.
  ///
  /// Finished tasks stay in the collection; a ``TaskBag`` removes them.
  ///
  /// - Returns: The stored value.
  @discardableResult
  public func store(in tasks: inout some RangeReplaceableCollection<AnyTask>) -> AnyTask {
    let task = erased()
    tasks.append(task)
    return task
  }

  /// Keeps this task in a set, which cancels it when the set is destroyed.
  ///
  /// Storing the same task again has no effect.
  ///
  /// - Returns: The stored value. If the task was already there, that is the earlier value.
  @discardableResult
  public func store(in tasks: inout Set<AnyTask>) -> AnyTask {
    let task = erased()
    let (isNew, stored) = tasks.insert(task)
    if !isNew { task.detach() }
    return stored
  }
}

/// A task of any type, as its owners see it.
private protocol ErasedTask: Sendable, Hashable {
  var isCancelled: Bool { get }
  func cancel()
}

extension Task: ErasedTask {}

extension ErasedTask {
  func isSame(as other: any ErasedTask) -> Bool {
    other as? Self == self
  }
}
