/// A task of any type, which is cancelled when its owner lets go of it.
///
/// ```swift
/// var tasks: Set<AnyTask> = []
/// Task { await listen() }.store(in: &tasks)
/// // When `tasks` is destroyed, the task is cancelled.
/// ```
///
/// It owns the task for one purpose only, to cancel it: a task that runs to its end is not affected, and its
/// value is still to be had from the `Task` itself. Two of the same task are equal, and each is an owner:
/// the first one that is released cancels. `store(in:)` with a set keeps one.
///
/// To empty a collection in a property, `tasks = []`, is to change that property while tasks are cancelled: a
/// cancellation handler must not read it. ``TaskBag`` has no such rule.
///
/// May be used from any thread. `cancel()` runs the task's cancellation handlers before it returns, with no
/// lock of the library's held.
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

    /// Stops a debug build with an assertion when ``AnyTask/cancel()`` is called for a task that is cancelled
    /// already. A release of the `AnyTask` does not count, and does not cancel unless
    /// ``cancelWhenReleased`` is given as well.
    public static let assertOnOverCancellation = Options(rawValue: 1 << 1)

    /// What holds when options are left out: ``cancelWhenReleased``.
    public static let `default`: Options = [.cancelWhenReleased]
  }

  /// How this one behaves.
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

  /// Cancels the task. Cancelling it again does nothing, unless ``Options/assertOnOverCancellation`` says that
  /// it is a mistake.
  public func cancel() {
    let isRepeated = !wasCancelledHere.raiseFirst() || task.isCancelled
    assert(
      !(isRepeated && options.contains(.assertOnOverCancellation)),
      "AnyTask.cancel() was called for a task that is cancelled already"
    )
    task.cancel()
  }

  /// Gives up ownership: the task is not cancelled when this is released.
  public func detach() {
    isDetached.raise()
  }
}

extension AnyTask: Hashable {
  /// Two are equal if they own the same task, whatever their options.
  public static func == (left: AnyTask, right: AnyTask) -> Bool {
    left.task.isSame(as: right.task)
  }

  /// Hashes the task's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(task)
  }
}

extension Task {
  /// This task as an ``AnyTask``, which cancels it when released.
  @inlinable
  public func erased(options: AnyTask.Options = .default) -> AnyTask {
    AnyTask(self, options: options)
  }

  /// Keeps this task in a collection, which cancels it when it is destroyed.
  ///
  /// Finished tasks stay in the collection. ``TaskBag`` lets them go.
  ///
  /// - Returns: What was stored.
  @discardableResult
  public func store(
    in tasks: inout some RangeReplaceableCollection<AnyTask>,
    options: AnyTask.Options = .default
  ) -> AnyTask {
    let task = erased(options: options)
    tasks.append(task)
    return task
  }

  /// Keeps this task in a set, which cancels it when it is destroyed.
  ///
  /// Storing the same task again adds nothing and cancels nothing.
  ///
  /// - Returns: What is stored; for a task that was there before, that, with the options that it has.
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
