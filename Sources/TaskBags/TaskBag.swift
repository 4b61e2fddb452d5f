internal import CancellationInternals
public import CooperativeCancellation

/// The tasks of one owner: a view model, a screen, a connection. They are cancelled when the owner
/// is released.
///
/// ```swift
/// @MainActor @Observable
/// final class FeedModel {
///   let taskBag = TaskBag()
///   private let service = FeedService()
///   private(set) var posts: [Post] = []
///
///   func refresh() {
///     taskBag.add(id: "refresh") { [weak self, service] in
///       let posts = try await service.posts()
///       try checkpoint()
///       self?.posts = posts
///     }
///   }
/// }
/// ```
///
/// Releasing the bag cancels all its tasks, so the owner needs no `deinit`. A task leaves the bag
/// when it ends. May be used from any thread. The library holds no lock while cancellation handlers
/// or `onError` run. The `==` of an id runs under the lock of this object, so it must not use it.
///
/// A task that captures the owner keeps the owner and the bag alive, so no release cancels it.
/// Capture the owner weakly, and wait in another object, as above: `await self?.load()` holds the
/// owner while `load()` runs. See <doc:YourOwnTasks>.
public final class TaskBag: Sendable {
  /// What happens when a task is added with an id that another task already has.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum TakenIDPolicy: Sendable, Hashable, CaseIterable {
    /// The old task is cancelled, and the new one begins when the old one has ended. If it is
    /// itself replaced or cancelled before that, it never begins. With `store(in:)`, where it has
    /// already begun, it does not wait.
    case replace
    /// The old task is cancelled, and the new one begins at once: for old tasks that take long to
    /// end.
    case replaceAtOnce
    /// The old task stays. The new one is not started; with `store(in:)`, it is cancelled.
    case keep
    /// Both tasks run with the same id.
    case runAlongside
  }

  @usableFromInline let members: BagMembers

  /// Creates an empty bag, with an initial value of ``onError``.
  public init(
    onError: @escaping @Sendable (_ error: any Error, _ callSite: CallSite) -> Void = printError
  ) {
    members = BagMembers(onError: onError)
  }

  deinit {
    close()
    members.cancelAll()
  }

  /// Receives each error thrown by a task that `add` started, and the call of `add`.
  ///
  /// A `CancellationError` of a cancelled task is not passed on. The closure runs in the failed
  /// task, on its actor, so `Task.isCancelled` describes that task. The bag keeps the closure:
  /// capture the bag's owner weakly.
  ///
  /// By default, it prints the error and the call of `add` to standard error, unless the task is
  /// cancelled.
  public var onError: @Sendable (_ error: any Error, _ callSite: CallSite) -> Void {
    get { members.onError }
    set { members.onError = newValue }
  }

  /// How many tasks have not ended, including cancelled ones.
  public var count: Int { members.registry.locked { $0.count } }

  /// Runs `operation` in a task of this bag. Returns whether the task was started: `false` if the
  /// bag is closed.
  ///
  /// `operation` runs as in `Task { … }`: on the caller's global actor, or on the caller's actor if
  /// it captures that actor. Tasks of one priority begin there in the order in which they were
  /// added, also if they are added elsewhere. Errors go to ``onError``, with the file and the line.
  /// Debuggers show `name`. Without a `priority`, the task has the current one.
  @_alwaysEmitIntoClient
  @discardableResult
  public func add(
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    // As in `Task.init`, but without the implicit `self`, because a task that holds the bag's owner
    // keeps it alive.
    @_inheritActorContext operation:
      @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Bool {
    let route = BagRoute(to: operation.isolation, from: isolation)
    guard let place = members.reserve(by: route) else { return false }
    let callSite = CallSite(fileID: fileID, line: line)
    members.start(place.slot, makeTask(place, name, priority, isolation, callSite, operation))
    return true
  }

  /// Runs `operation` in a task of this bag with an id.
  ///
  /// By default, the latest one wins: an older task with the id is cancelled, and `operation` runs
  /// when that task has ended, so the two never overlap. What the older one captured may be
  /// released slightly later. One that ignores cancellation delays it: the list of waiting calls
  /// names it or, if several ran at the time of `add`, one of those.
  ///
  /// The type of `id` counts: `1` and `"1"` are different ids. A task has its id until it ends. One
  /// that was cancelled with ``cancel(id:)`` or ``cancelAll()`` is not kept, but waited for.
  /// Returns `false` if another one was kept, or if the bag is closed. The rest is as in
  /// ``add(name:priority:isolation:fileID:line:operation:)``.
  @_alwaysEmitIntoClient
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
    let callSite = CallSite(fileID: fileID, line: line)
    let id = BagID(id, at: callSite)
    let route = BagRoute(to: operation.isolation, from: isolation)
    guard let place = members.reserve(id, ifTaken: policy, by: route) else { return false }
    members.start(place.slot, makeTask(place, name, priority, isolation, callSite, operation))
    return true
  }

  /// Cancels the tasks with an id. Returns whether there was one that was not cancelled.
  ///
  /// A task whose `add` has not returned on its thread may have begun. It is cancelled when that
  /// `add` returns.
  @discardableResult
  public func cancel(id: some Hashable & Sendable) -> Bool { members.cancel(BagID(id)) }

  /// Cancels all tasks. The bag remains usable. A task whose `add` has not returned on its thread is
  /// cancelled when that `add` returns.
  public func cancelAll() { members.cancelAll() }

  /// Closes the bag to new tasks: none is started, and a stored one is cancelled. Running tasks
  /// continue.
  ///
  /// To end those too, call ``cancelAll()``; to let them finish,
  /// ``drain(cancellingAfter:fileID:line:)``.
  public func close() { members.registry.locked { $0.isClosed = true } }

  /// Shuts down gracefully: closes this bag, lets its tasks finish, and cancels those that take too
  /// long.
  ///
  /// Returns when all tasks have ended, including cancelled ones. With a grace period of zero or
  /// less, they are cancelled at once. A task of this bag must not call it: it would wait for
  /// itself.
  ///
  /// ## Cancellation
  ///
  /// Cancelling the calling task, as servers do, has no effect. ``cancelAll()`` shortens the grace
  /// period.
  public func drain(
    cancellingAfter gracePeriod: Timeout,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async {
    close()
    let members = members
    let callSite = CallSite(fileID: fileID, line: line)
    // A separate task, because the current one may be cancelled.
    await Task {
      do {
        try await members.waitForAll(.options(.abandonCallback, gracePeriod, callSite))
      } catch {
        members.cancelAll()
        try? await members.waitForAll(.options(.ignoreCancellation, nil, callSite))
      }
    }.value
  }

  /// Waits until all tasks have ended, including those added meanwhile. It neither closes the bag
  /// nor cancels.
  ///
  /// Throws `CancellationError` as soon as the waiting task is cancelled; that does not cancel the
  /// bag's tasks. A task of this bag must not call it: it would wait for itself. In a task that is
  /// already cancelled, use `try await Task { try await bag.waitForAll() }.value`. The last task's
  /// captures may be released slightly later.
  public func waitForAll(fileID: StaticString = #fileID, line: UInt = #line) async throws {
    let callSite = CallSite(fileID: fileID, line: line)
    try await members.waitForAll(.options(.abandonCallback, nil, callSite))
  }
}

extension TaskBag {
  @usableFromInline static func printError(_ error: any Error, _ callSite: CallSite) {
    if Task.isCancelled { return }
    printToStandardError(
      "CooperativeCancellation: \(callSite): the task added here threw: \(error)"
    )
  }

  /// Makes the task of a slot, which begins on the actor of `operation`.
  @_alwaysEmitIntoClient
  func makeTask(
    _ place: BagMembers.Place,
    _ name: String?,
    _ priority: TaskPriority?,
    _ isolation: isolated (any Actor)?,
    _ callSite: CallSite,
    _ operation: @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Member {
    // Captures the members and not the bag, whose release cancels the task.
    let members = members
    if place.travels {
      return members.departingTask(operation, place, name, priority, callSite)
    }
    guard isolation != nil, operation.isolation === isolation else {
      // No other actor is left here: see `BagRoute`.
      if operation.isolation != nil {
        return .made(
          Task(name: name, priority: priority) { @MainActor in
            await members.run(operation, place, callSite, on: MainActor.shared)
          }
        )
      }
      return .made(
        Task(name: name, priority: priority) {
          await members.run(operation, place, callSite, on: nil)
        }
      )
    }
    return .made(
      Task(name: name, priority: priority) {
        // Captured, so that the task begins on this actor. `operation` keeps the actor too.
        await members.run(operation, place, callSite, on: isolation)
      }
    )
  }
}

// A member of `Task`, for the same reason as in `AnyTask.swift`.

extension Task {
  /// Keeps this task in a bag until it ends. Releasing the bag cancels it.
  ///
  /// A second task awaits this one, with the caller's priority, and may raise this one to it;
  /// ``TaskBag/add(name:priority:isolation:fileID:line:operation:)`` needs no second task. The
  /// error of this task is not reported, because the code that awaits the task receives it. Returns
  /// this task.
  @discardableResult
  public func store(in bag: TaskBag) -> Task {
    store(in: bag.members.reserve(by: .direct)?.slot, of: bag)
  }

  /// Keeps this task in a bag until it ends, with an id.
  ///
  /// As without an id. If the id is taken, ``TaskBag/TakenIDPolicy/keep`` cancels this task; with
  /// any other policy, it goes on, as it has begun. A later task that waits for this one names the
  /// file and the line.
  @discardableResult
  public func store(
    in bag: TaskBag,
    id: some Hashable & Sendable,
    ifTaken policy: TaskBag.TakenIDPolicy = .replace,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> Task {
    let callSite = CallSite(fileID: fileID, line: line)
    let id = BagID(id, at: callSite)
    let place = bag.members.reserve(id, ifTaken: policy, hasBegun: true, by: .direct)
    return store(in: place?.slot, of: bag)
  }

  private func store(in slot: Int?, of bag: TaskBag) -> Task {
    guard let slot else {
      cancel()
      return self
    }
    let members = bag.members
    // The bag cancels it, but does not own it, because a release after its end must have no effect.
    members.start(slot, .given(erased(options: [])))
    // Detached, so that it does not keep the caller's task-local values.
    Task<Void, Never>.detached(priority: Task<Never, Never>.currentPriority) {
      _ = await result
      members.finish(slot)
    }
    return self
  }
}
