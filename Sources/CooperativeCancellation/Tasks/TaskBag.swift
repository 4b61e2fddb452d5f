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
/// bag when it has ended, and a bag gives its storage back. May be used from any thread; what it calls of
/// yours (cancellation handlers, `onError`, an id's `==`) runs with no lock of the library's held.
///
/// A task keeps what it captures until it ends. A task that holds its owner keeps the bag alive with it, and
/// is not cancelled by its release: capture the owner weakly, and do the waiting with something else, as
/// above. `await self?.load()` holds the owner for as long as `load()` runs. More is in <doc:TaskLifetimes>.
public final class TaskBag: Sendable {
  /// What happens to a task that is added with an id which another task has.
  public enum TakenIDPolicy: Sendable, Hashable, CaseIterable {
    /// The old task is cancelled and gives up the id.
    case replace
    /// The old task stays, and the new one is not started; one that is stored is cancelled.
    case keep
    /// Both run with the same id.
    case runBeside
  }

  @usableFromInline let members: BagMembers

  /// Makes an empty bag.
  ///
  /// - Parameter onError: What ``onError`` is at first.
  public init(
    onError: @escaping @Sendable (_ error: any Error, _ callSite: CallSite) -> Void = TaskBag
      .printError
  ) {
    members = BagMembers(onError: onError)
  }

  deinit {
    members.close()
    members.cancelAll()
  }

  /// Receives the error that a task of ``add(name:priority:isolation:fileID:line:operation:)`` throws, and
  /// the call that added it. The default is ``printError(_:_:)``.
  ///
  /// A `CancellationError` in a task that was cancelled is what was asked for, and is not passed on. Runs in
  /// that task, where it was when it threw: for a task on the main actor, there. `Task.isCancelled` speaks of
  /// that task. The bag keeps it, so capture the bag's owner weakly.
  public var onError: @Sendable (_ error: any Error, _ callSite: CallSite) -> Void {
    get { members.onError }
    set { members.onError = newValue }
  }

  /// How many tasks have not ended, the cancelled ones included.
  public var count: Int { members.count }

  /// Whether all tasks have ended.
  public var isEmpty: Bool { count == 0 }

  /// Whether ``close()`` was called.
  public var isClosed: Bool { members.isClosed }

  /// Runs `operation` in a task of this bag.
  ///
  /// - Parameters:
  ///   - name: The task's name, for debuggers.
  ///   - priority: The task's priority; the current one if left out.
  ///   - isolation: The caller's actor.
  ///   - fileID: The file that ``onError`` is told; by default the caller's.
  ///   - line: The line that it is told; by default the caller's.
  ///   - operation: Runs where it would with `Task { … }`: on the caller's global actor, or on the caller's
  ///     actor if it captures that. Tasks of one priority begin there in the order in which they were added;
  ///     those which say that they belong elsewhere, as `{ @MainActor in … }` does off the main actor, in no
  ///     particular order. An error that it throws goes to ``onError``.
  /// - Returns: Whether the task was started: `false` if the bag is closed.
  @inlinable
  @discardableResult
  public func add(
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    // As with `Task.init`, but without its implicit `self`: a task that holds the bag's owner is not cancelled
    // when that is released.
    @_inheritActorContext operation:
      @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Bool {
    guard let slot = members.reserve() else { return false }
    let callSite = CallSite(fileID: fileID, line: line)
    members.start(slot, makeTask(slot, name, priority, isolation, callSite, operation))
    return true
  }

  /// Runs `operation` in a task of this bag that can be found by an id.
  ///
  /// An id is free again when its task has ended, was cancelled by ``cancel(id:)`` or ``cancelAll()``, or was
  /// replaced.
  ///
  /// - Parameters:
  ///   - id: What to find the task by. Its type counts: `1` and `"1"` are different ids.
  ///   - policy: What happens if a task of this bag has the id already.
  ///   - name: The task's name, for debuggers.
  ///   - priority: The task's priority; the current one if left out.
  ///   - isolation: The caller's actor.
  ///   - fileID: The file that ``onError`` is told; by default the caller's.
  ///   - line: The line that it is told; by default the caller's.
  ///   - operation: Runs where it would with `Task { … }`: on the caller's global actor, or on the caller's
  ///     actor if it captures that. An error that it throws goes to ``onError``.
  /// - Returns: Whether the task was started: `false` if another one was kept, or if the bag is closed.
  @inlinable
  @discardableResult
  public func add(
    id: some Hashable & Sendable,
    ifTaken policy: TakenIDPolicy = .replace,
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext operation:
      @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Bool {
    guard let slot = members.reserve(id: AnyID(id), ifTaken: policy) else { return false }
    let callSite = CallSite(fileID: fileID, line: line)
    members.start(slot, makeTask(slot, name, priority, isolation, callSite, operation))
    return true
  }

  /// Cancels the tasks with an id, and frees the id.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func cancel(id: some Hashable & Sendable) -> Bool {
    members.cancel(id: AnyID(id))
  }

  /// Cancels all tasks, and frees their ids. The bag can still be used.
  public func cancelAll() {
    members.cancelAll()
  }

  /// From now on starts no task, and cancels one that is stored. The tasks that run go on.
  ///
  /// To end those too, ``cancelAll()``; to let them finish first, ``drain(cancellingAfter:)``.
  public func close() {
    members.close()
  }

  /// Closes this bag, lets the tasks that run finish, and cancels those that take too long: a graceful
  /// shutdown.
  ///
  /// ```swift
  /// await connections.drain(cancellingAfter: .seconds(10))
  /// ```
  ///
  /// Returns when all tasks have ended, the cancelled ones included.
  ///
  /// ## Cancellation
  ///
  /// Changes nothing, before or during the call, because a server is often told to stop by a cancellation of the task
  /// that shuts it down. To cut the grace period short, call ``cancelAll()``. A task of the bag that drains it
  /// waits for itself, and does not end.
  ///
  /// - Parameter gracePeriod: How long the tasks may go on before they are cancelled. With zero or less, they are
  ///   cancelled at once.
  public func drain(cancellingAfter gracePeriod: Timeout) async {
    close()
    let members = members
    // A task of its own, because the current one may be cancelled.
    await Task {
      do {
        try await withAsyncThrowingValue(timeout: gracePeriod) { completion in
          members.wait(completion)
        } onCancel: { token in
          members.stopWaiting(token)
        }
      } catch {
        members.cancelAll()
        await withAsyncValue { done in _ = members.wait { _ in done() } }
      }
    }.value
  }

  /// Waits until all tasks have ended, those that are added meanwhile included.
  ///
  /// ```swift
  /// bag.close()
  /// bag.cancelAll()
  /// try await bag.waitForAll()
  /// ```
  ///
  /// Throws `CancellationError` as soon as the waiting task is cancelled; the bag's tasks are not. To wait in
  /// a task that is cancelled already: `try await Task { try await bag.waitForAll() }.value`. A task of the
  /// bag that waits for all waits for itself. What the last task captured may be released a moment later.
  public func waitForAll() async throws {
    try await withAsyncThrowingValue { completion in
      members.wait(completion)
    } onCancel: { token in
      members.stopWaiting(token)
    }
  }

  /// Prints to standard error which call's task threw which error, unless the task was cancelled: then the
  /// error is most likely how the code in it reports that.
  public static func printError(_ error: any Error, _ callSite: CallSite) {
    if Task.isCancelled { return }
    printToStandardError(
      "CooperativeCancellation: \(callSite): the task added here threw: \(error)"
    )
  }
}

extension TaskBag {
  /// Makes the task of a slot, which begins on the actor that `operation` belongs to.
  @inlinable
  func makeTask(
    _ slot: Int,
    _ name: String?,
    _ priority: TaskPriority?,
    _ isolation: isolated (any Actor)?,
    _ callSite: CallSite,
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Member {
    // Not the bag, whose release is what cancels the task.
    let members = members
    guard isolation != nil, operation.isolation === isolation else {
      return .made(
        Task(name: name, priority: priority) {
          do {
            try await operation()
          } catch {
            await members.report(error, callSite, on: operation.isolation)
          }
          members.finish(slot)
        }
      )
    }
    return .made(
      Task(name: name, priority: priority) {
        // The parameter is captured, so that the task begins there. It keeps the actor, as `operation` does.
        _ = isolation
        do { try await operation() } catch { members.report(error, callSite) }
        members.finish(slot)
      }
    )
  }
}

extension Task {
  /// Keeps this task in a bag until it ends. The bag cancels it when the bag is released.
  ///
  /// To notice the end of a task that exists already takes a second task, which awaits it;
  /// ``TaskBag/add(name:priority:isolation:fileID:line:operation:)`` does without. It has the caller's
  /// priority, so a task that was given a lower one is raised to that. What this task throws is not reported:
  /// it belongs to whoever awaits this task.
  ///
  /// - Returns: This task.
  @discardableResult
  public func store(in bag: TaskBag) -> Task {
    store(in: bag.members.reserve(), of: bag)
  }

  /// Keeps this task in a bag until it ends, where it can be found by an id.
  ///
  /// As ``store(in:)``. If a task of the bag has the id already, `policy` decides; with
  /// ``TaskBag/TakenIDPolicy/keep`` it is this task that is cancelled, because it has begun.
  ///
  /// - Returns: This task.
  @discardableResult
  public func store(
    in bag: TaskBag,
    id: some Hashable & Sendable,
    ifTaken policy: TaskBag.TakenIDPolicy = .replace
  ) -> Task {
    store(in: bag.members.reserve(id: AnyID(id), ifTaken: policy), of: bag)
  }

  private func store(in slot: Int?, of bag: TaskBag) -> Task {
    guard let slot else {
      cancel()
      return self
    }
    let members = bag.members
    members.start(slot, .given(erased(options: [])))
    // Detached, so that it keeps none of the caller's task-local values.
    Task<Void, Never>.detached(priority: Task<Never, Never>.currentPriority) {
      _ = await result
      members.finish(slot)
    }
    return self
  }
}
