internal import CancellationInternals

/// A task of any type, which is cancelled when its owner releases it, unless its ``Options`` say
/// otherwise.
///
/// ```swift
/// var tasks: Set<AnyTask> = []
/// Task { await listen() }.store(in: &tasks)
/// // When `tasks` is destroyed, the task is cancelled.
/// ```
///
/// A task that has ended is not affected, and its value is still available from the `Task`. Two
/// values for the same task are equal, but each is an owner: the first one released cancels it. In
/// a set, `store(in:)` keeps only one.
///
/// A cancellation handler must not read the property that `tasks = []` is changing. A ``TaskBag``
/// may be read.
///
/// May be used from any thread. `cancel()` runs cancellation handlers before it returns, and holds
/// no lock meanwhile.
public final class AnyTask: Sendable {
  /// How an ``AnyTask`` behaves.
  public struct Options: OptionSet, Sendable {
    /// The raw value.
    public let rawValue: Int

    /// Makes options from a raw value.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Cancels the task when the `AnyTask` is released. This is the default.
    public static let cancelOnRelease = Options(rawValue: 1 << 0)

    /// Fails an assertion in debug builds if ``AnyTask/cancel()``, or the release, cancels a
    /// cancelled task again.
    public static let assertOnOverCancellation = Options(rawValue: 1 << 1)
  }

  /// How this one behaves.
  package let options: Options

  private let task: any ErasedTask
  // Of two threads that cancel at once, both could see a task that is not cancelled yet.
  private let wasCancelledHere = Locked(initially: false)

  /// Takes ownership of a task.
  public init<Success, Failure>(
    _ task: Task<Success, Failure>,
    options: Options = .cancelOnRelease
  ) {
    self.task = task
    self.options = options
  }

  deinit {
    if options.contains(.cancelOnRelease) { cancel() }
  }

  /// Whether the task was cancelled, here or elsewhere.
  public var isCancelled: Bool { task.isCancelled }

  /// Cancels the task. A second call has no effect, or fails an assertion:
  /// ``Options/assertOnOverCancellation``.
  public func cancel() {
    let isRepeated = wasCancelledHere.exchange(for: true)
    assert(
      !options.contains(.assertOnOverCancellation) || !(isRepeated || task.isCancelled),
      """
      An AnyTask with '.assertOnOverCancellation' cancelled a task that was already cancelled. Cancel it in one place \
      only, or check 'isCancelled' before 'cancel()'; if its release cancelled it, omit '.cancelOnRelease'.
      """
    )
    task.cancel()
  }
}

extension AnyTask: Hashable {
  /// Two are equal if they own the same task, whatever their options.
  public static func == (left: AnyTask, right: AnyTask) -> Bool {
    AnyHashable(left.task) == AnyHashable(right.task)
  }

  /// Hashes the task's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(task) }
}

// Members of `Task`, as Combine's `store(in:)` is one of `AnyCancellable`: the call follows the
// task that it keeps.

extension Task {
  /// This task as an ``AnyTask``, which by default cancels it when it is released.
  public func erased(options: AnyTask.Options = .cancelOnRelease) -> AnyTask {
    AnyTask(self, options: options)
  }

  /// Keeps this task in a collection, which by default cancels it when the collection is destroyed.
  ///
  /// Returns the stored value. Finished tasks stay in the collection; a ``TaskBag`` removes them.
  @discardableResult
  public func store(
    in tasks: inout some RangeReplaceableCollection<AnyTask>,
    options: AnyTask.Options = .cancelOnRelease
  ) -> AnyTask {
    let task = erased(options: options)
    tasks.append(task)
    return task
  }

  /// Keeps this task in a set, which by default cancels it when the set is destroyed.
  ///
  /// Returns the stored value. If the task was already there, that is the earlier value, with its
  /// options.
  @discardableResult
  public func store(
    in tasks: inout Set<AnyTask>,
    options: AnyTask.Options = .cancelOnRelease
  ) -> AnyTask {
    // A second owner with these options would cancel the task at once, when it is released here.
    if let index = tasks.firstIndex(of: erased(options: [])) { return tasks[index] }
    return tasks.insert(erased(options: options)).memberAfterInsert
  }
}

/// A task of any type, as its owners see it.
private protocol ErasedTask: Sendable, Hashable {
  var isCancelled: Bool { get }
  func cancel()
}

extension Task: ErasedTask {}
