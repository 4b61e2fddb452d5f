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
/// A cancellation handler must not read the property that holds the collection: `tasks = []` runs the handler
/// while it changes that property. ``TaskBag`` has no such rule.
///
/// May be used from any thread. `cancel()` runs the task's cancellation handlers before it returns, without a
/// lock of the library.
public final class AnyTask: Sendable {
  /// How an ``AnyTask`` behaves.
  public struct Options: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: Int

    /// Makes options from a raw value.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// Cancels the task when the `AnyTask` is released.
    public static let cancelWhenReleased = Options(rawValue: 1 << 0)

    /// Stops a debug build with an assertion when ``AnyTask/cancel()`` is called for a task that is already
    /// cancelled. Releasing the `AnyTask` does not count, and cancels only with ``cancelWhenReleased``.
    public static let assertOnOverCancellation = Options(rawValue: 1 << 1)

    /// The default: ``cancelWhenReleased``.
    public static let `default`: Options = [.cancelWhenReleased]
  }

  /// How this owner behaves.
  public let options: Options

  @usableFromInline let task: any ErasedTask
  @usableFromInline let isDetached = Flag()
  @usableFromInline let wasCancelledHere = Flag()

  /// Takes ownership of a task.
  public init<Success, Failure>(_ task: Task<Success, Failure>, options: Options = .default) {
    self.task = task
    self.options = options
  }

  deinit {
    if options.contains(.cancelWhenReleased), !isDetached.isRaised {
      task.cancel()
    }
  }

  /// Whether the task was cancelled, here or elsewhere.
  public var isCancelled: Bool { task.isCancelled }

  /// Cancels the task. Has no effect the second time, except with ``Options/assertOnOverCancellation``.
  public func cancel() {
    let isRepeated = !wasCancelledHere.raiseFirst() || task.isCancelled
    assert(
      !(isRepeated && options.contains(.assertOnOverCancellation)),
      "AnyTask.cancel() was called for a task that is cancelled already"
    )
    task.cancel()
  }

  /// Gives up ownership: releasing this does not cancel the task.
  public func detach() {
    isDetached.raise()
  }
}

extension AnyTask: Hashable {
  /// Two are equal if they own the same task, with any options.
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
  @inlinable
  public func erased(options: AnyTask.Options = .default) -> AnyTask {
    AnyTask(self, options: options)
  }

  /// Keeps this task in a collection, which cancels it when the collection is destroyed.
  ///
  /// Finished tasks stay in the collection; a ``TaskBag`` removes them.
  ///
  /// - Returns: The stored value.
  @discardableResult
  public func store(
    in tasks: inout some RangeReplaceableCollection<AnyTask>,
    options: AnyTask.Options = .default
  ) -> AnyTask {
    let task = erased(options: options)
    tasks.append(task)
    return task
  }

  /// Keeps this task in a set, which cancels it when the set is destroyed.
  ///
  /// Storing the same task again has no effect.
  ///
  /// - Returns: The stored value. If the task was already there, that is the earlier value with its options.
  @discardableResult
  public func store(
    in tasks: inout Set<AnyTask>,
    options: AnyTask.Options = .default
  ) -> AnyTask {
    let task = erased(options: options)
    let (isNew, stored) = tasks.insert(task)
    if !isNew { task.detach() }
    return stored
  }
}
