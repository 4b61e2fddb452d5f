internal import Synchronization

/// The tasks of one owner: a view model, a screen, a connection. They are cancelled when it goes.
///
/// ```swift
/// @MainActor @Observable
/// final class FeedModel {
///   private let tasks = TaskBag()
///   private let service = Service()
///   var posts: [Post] = []
///
///   func refresh() {
///     tasks.add(id: "refresh") { [weak self, service] in
///       let posts = try await service.posts()
///       self?.posts = posts
///     }
///   }
/// }
/// ```
///
/// When the bag is released, all its tasks are cancelled, so the owner needs no `deinit`. A task leaves the
/// bag when it has ended, and an empty bag has given its storage back. May be used from any thread.
///
/// A task keeps what it captures until it ends. Capture the owner weakly: a task that holds its owner keeps
/// the bag alive with it, and is not cancelled by its release.
public final class TaskBag: Sendable {
  /// What happens to a task that is added with an id which another task has.
  public enum TakenIDPolicy: Sendable, Hashable, CaseIterable {
    /// The old task is cancelled and gives up the id.
    case replace
    /// The old task stays, and the new one is not started.
    case keep
    /// Both run with the same id.
    case runBeside
  }

  private let members: Members

  /// Makes an empty bag.
  ///
  /// - Parameter onError: Receives the error that a task of ``add(name:priority:isolation:fileID:line:operation:)``
  ///   throws, and the call that added it, but no `CancellationError`. Runs in that task, off any actor. The
  ///   default prints a line to standard error.
  public init(
    onError: @escaping @Sendable (_ error: any Error, _ callSite: CallSite) -> Void = TaskBag
      .printError
  ) {
    members = Members(onError: onError)
  }

  deinit {
    members.cancel { $0.close() }
  }

  /// How many tasks have not ended, the cancelled ones included.
  public var count: Int { members.registry.withLock { $0.count } }

  /// Whether all tasks have ended.
  public var isEmpty: Bool { count == 0 }

  /// Whether ``close()`` was called.
  public var isClosed: Bool { members.registry.withLock { $0.isClosed } }

  /// Runs `operation` in a task of this bag.
  ///
  /// - Parameters:
  ///   - name: The task's name, for debuggers.
  ///   - priority: The task's priority; the current one if left out.
  ///   - isolation: The actor that the task begins on; the caller's.
  ///   - fileID: The file that `onError` is told; by default the caller's.
  ///   - line: The line that it is told; by default the caller's.
  ///   - operation: Runs on the caller's actor, as with `Task { … }`. An error that it throws goes to the
  ///     bag's `onError`.
  public func add(
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    // The attributes are those of `Task.init`, for the same call site.
    @_inheritActorContext @_implicitSelfCapture operation:
      sending @escaping () async throws -> Void
  ) {
    _ = start(
      nil,
      .runBeside,
      name,
      priority,
      isolation,
      CallSite(fileID: fileID, line: line),
      operation
    )
  }

  /// Runs `operation` in a task of this bag that can be found by an id.
  ///
  /// An id is free again when its task has ended, was cancelled by ``cancel(id:)`` or ``cancelAll()``, or was
  /// replaced.
  ///
  /// - Parameters:
  ///   - id: What to find the task by.
  ///   - policy: What happens if a task of this bag has the id already.
  ///   - name: The task's name, for debuggers.
  ///   - priority: The task's priority; the current one if left out.
  ///   - isolation: The actor that the task begins on; the caller's.
  ///   - fileID: The file that `onError` is told; by default the caller's.
  ///   - line: The line that it is told; by default the caller's.
  ///   - operation: Runs on the caller's actor, as with `Task { … }`. An error that it throws goes to the
  ///     bag's `onError`.
  /// - Returns: Whether the task was started: `false` if another one was kept.
  @discardableResult
  public func add(
    id: some Hashable & Sendable,
    ifTaken policy: TakenIDPolicy = .replace,
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture operation:
      sending @escaping () async throws -> Void
  ) -> Bool {
    start(
      TaskID(id),
      policy,
      name,
      priority,
      isolation,
      CallSite(fileID: fileID, line: line),
      operation
    )
  }

  /// Cancels the tasks with an id, and frees the id.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func cancel(id: some Hashable & Sendable) -> Bool {
    members.cancel { $0.cancel(id: TaskID(id)) }
  }

  /// Cancels all tasks, and frees their ids. The bag can still be used.
  public func cancelAll() {
    members.cancel { $0.cancelAll() }
  }

  /// Cancels all tasks, and from now on each task that is added, at once.
  public func close() {
    members.cancel { $0.close() }
  }

  /// Waits until all tasks have ended, those that are added meanwhile included: for a graceful shutdown.
  ///
  /// ```swift
  /// bag.close()
  /// try await bag.waitForAll()
  /// ```
  ///
  /// Throws `CancellationError` as soon as the waiting task is cancelled; the bag's tasks are not.
  public func waitForAll() async throws {
    try await withAsyncThrowingValue { completion in
      if members.registry.withLock({ $0.wait(completion) }) { completion(.success) }
    }
  }

  /// Prints to standard error which call's task threw which error.
  public static func printError(_ error: any Error, _ callSite: CallSite) {
    printToStandardError(
      "CooperativeCancellation: \(callSite): the task added here threw: \(error)"
    )
  }
}

extension Task {
  /// Keeps this task in a bag until it ends. The bag cancels it when the bag is released.
  ///
  /// To notice the end of a task that exists already takes a second task, which waits for it;
  /// ``TaskBag/add(name:priority:isolation:fileID:line:operation:)`` does without. What this task throws is
  /// not reported: it belongs to whoever awaits this task.
  public func store(in bag: TaskBag) {
    bag.adopt(self)
  }
}

// MARK: - Making tasks

extension TaskBag {
  private func start(
    _ id: TaskID?,
    _ policy: TakenIDPolicy,
    _ name: String?,
    _ priority: TaskPriority?,
    _ isolation: isolated (any Actor)?,
    _ callSite: CallSite,
    _ operation: sending @escaping () async throws -> Void
  ) -> Bool {
    guard let slot = members.reserve(id: id, ifTaken: policy) else { return false }
    // The task must not hold the bag, whose release is what cancels it.
    let task = Task(name: name, priority: priority) { [members] in
      _ = isolation  // Captured, so that the task begins on that actor.
      do {
        try await operation()
      } catch {
        members.report(error, callSite)
      }
      members.finish(slot)
    }
    members.start(slot, .made(task))
    return true
  }

  fileprivate func adopt<Success, Failure>(_ task: Task<Success, Failure>) {
    guard let slot = members.reserve(id: nil, ifTaken: .runBeside) else { return }
    members.start(slot, .given(task.erased(options: [])))
    Task<Void, Never>.detached { [members] in
      _ = await task.result
      members.finish(slot)
    }
  }

  /// The lock around the registry, which the bag and its tasks share. What the registry returns is acted upon
  /// after unlocking.
  private final class Members: Sendable {
    let registry = Locked(TaskRegistry())
    private let onError: @Sendable (any Error, CallSite) -> Void

    init(onError: @escaping @Sendable (any Error, CallSite) -> Void) {
      self.onError = onError
    }

    func report(_ error: any Error, _ callSite: CallSite) {
      // A cancel is what the task was asked for.
      if !(error is CancellationError) { onError(error, callSite) }
    }

    func reserve(id: TaskID?, ifTaken policy: TakenIDPolicy) -> Int? {
      guard let (slot, replaced) = registry.withLock({ $0.reserve(id: id, ifTaken: policy) }) else {
        return nil
      }
      for member in replaced { member.cancel() }
      return slot
    }

    func start(_ slot: Int, _ member: Member) {
      if registry.withLock({ $0.start(slot, member) }) { member.cancel() }
    }

    func finish(_ slot: Int) {
      let (_, waiters) = registry.withLock { $0.finish(slot) }
      for waiter in waiters { waiter(.success) }
    }

    @discardableResult
    func cancel(_ choose: (inout TaskRegistry) -> [Member]?) -> Bool {
      guard let members = registry.withLock({ choose(&$0) }) else { return false }
      for member in members { member.cancel() }
      return true
    }
  }
}
