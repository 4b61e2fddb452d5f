/// A type whose tasks end with it: a view model, above all.
///
/// ```swift
/// @MainActor
/// final class FeatureAViewModel: TaskOwner {
///   let tasks = TaskBag()
///
///   func refresh() {
///     addTask { [weak self] in await self?.load() }
///   }
///
///   private func load() async {}
/// }
/// ```
///
/// One stored bag, and no superclass. The bag cancels its tasks when the owner is released, so capture the
/// owner weakly: a task that holds it strongly keeps both alive.
public protocol TaskOwner {
  /// The tasks of this owner. Store it as a `let`.
  var tasks: TaskBag { get }
}

extension TaskOwner {
  /// Runs `operation` in a task of this owner: ``TaskBag/add(name:priority:isolation:fileID:line:operation:)``.
  public func addTask(
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture operation:
      sending @escaping () async throws -> Void
  ) {
    tasks.add(
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
  /// - Returns: Whether the task was started: `false` if another one was kept.
  @discardableResult
  public func addTask(
    id: some Hashable & Sendable,
    ifTaken policy: TaskBag.TakenIDPolicy = .replace,
    name: String? = nil,
    priority: TaskPriority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    @_inheritActorContext @_implicitSelfCapture operation:
      sending @escaping () async throws -> Void
  ) -> Bool {
    tasks.add(
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
    tasks.cancel(id: id)
  }

  /// Cancels all tasks of this owner: when its screen goes away.
  public func cancelAll() {
    tasks.cancelAll()
  }
}
