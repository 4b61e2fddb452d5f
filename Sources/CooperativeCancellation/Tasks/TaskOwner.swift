/// A type whose tasks end with it: a view model, above all.
///
/// ```swift
/// @MainActor
/// final class FeedModel: TaskOwner {
///   let taskBag = TaskBag()
///   private let service = FeedService()
///   private(set) var posts: [Post] = []
///
///   func refresh() {
///     addTask(id: "refresh") { [weak self, service] in
///       let posts = try await service.posts()
///       try checkpoint()
///       self?.posts = posts
///     }
///   }
/// }
/// ```
///
/// One stored bag, and no superclass. The bag cancels its tasks when the owner is released, so capture the
/// owner weakly, and do not wait in a method of it: a task that holds it strongly, as `await self?.load()`
/// does while it runs, keeps both alive.
public protocol TaskOwner: AnyObject {
  /// The tasks of this owner. Store it as a `let`, and hand it to nobody who may outlive the owner: it is the
  /// bag's release that cancels the tasks, so whoever keeps the bag keeps them running.
  var taskBag: TaskBag { get }
}

extension TaskOwner {
  /// Runs `operation` in a task of this owner:
  /// ``TaskBag/add(name:priority:isolation:fileID:line:operation:)``.
  ///
  /// - Returns: Whether the task was started: `false` if the bag is closed.
  @inlinable
  @discardableResult
  public func addTask(
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext operation:
      @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Bool {
    taskBag.add(
      name: name,
      priority: priority,
      isolation: isolation,
      fileID: fileID,
      line: line,
      operation: operation
    )
  }

  /// Runs `operation` in a task of this owner that can be found by an id:
  /// ``TaskBag/add(id:ifTaken:name:priority:isolation:fileID:line:operation:)``.
  ///
  /// - Returns: Whether the task was started: `false` if another one was kept, or if the bag is closed.
  @inlinable
  @discardableResult
  public func addTask(
    id: some Hashable & Sendable,
    ifTaken policy: TaskBag.TakenIDPolicy = .replace,
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext operation:
      @escaping @isolated(any) @Sendable () async throws -> Void
  ) -> Bool {
    taskBag.add(
      id: id,
      ifTaken: policy,
      name: name,
      priority: priority,
      isolation: isolation,
      fileID: fileID,
      line: line,
      operation: operation
    )
  }

  /// Cancels the tasks with an id. Returns whether there was one.
  @discardableResult
  public func cancelTask(id: some Hashable & Sendable) -> Bool {
    taskBag.cancel(id: id)
  }

  /// Cancels all tasks of this owner: when its screen goes away.
  public func cancelAll() {
    taskBag.cancelAll()
  }
}
