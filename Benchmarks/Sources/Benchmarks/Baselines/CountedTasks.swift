import Synchronization

/// Counts tasks: the least that it costs to notice the end of a task.
final class CountedTasks: Sendable {
  private let count = Mutex(0)

  func add(
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ operation:
      @escaping @isolated(any) @Sendable () async throws -> Void
  ) {
    count.withLock { $0 += 1 }
    Task {
      _ = isolation  // Begins on the caller's actor.
      try? await operation()
      count.withLock { $0 -= 1 }
    }
  }
}
