/// A type whose tasks end with it, such as a view model.
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
/// It needs one stored bag and no superclass. Releasing the owner cancels the tasks, so capture it weakly. Do
/// not wait in a method of the owner: `await self?.load()` holds the owner while `load()` runs.
public protocol TaskOwner: AnyObject {
  /// The tasks of this owner. Store it as a `let`, and do not share it with an object that may outlive the
  /// owner: the tasks are cancelled when the bag is released.
  var taskBag: TaskBag { get }
}

extension TaskOwner {
  /// Runs `operation` in a task of this owner: see
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

  /// Runs `operation` in a task of this owner with an id: see
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

  /// Cancels all tasks of this owner, for instance when its screen goes away.
  public func cancelAll() {
    taskBag.cancelAll()
  }
}
