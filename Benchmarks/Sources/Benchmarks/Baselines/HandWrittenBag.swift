import Synchronization

/// Keeps tasks until they end, so that all can be cancelled.
///
/// It has no ids, no wait for all, no `close`, and no place for errors. It makes each task under its lock, so
/// that the task cannot end before it is kept.
final class HandWrittenBag: Sendable {
  private struct State {
    var tasks: [Int: Task<Void, Never>] = [:]
    var lastNumber = 0
  }

  private let state = Mutex(State())

  func add(
    isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ operation:
      @escaping @isolated(any) @Sendable () async throws -> Void
  ) {
    state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      state.tasks[number] = Task {
        _ = isolation  // Begins on the caller's actor.
        try? await operation()
        remove(number)
      }
    }
  }

  private func remove(_ number: Int) {
    // Released after unlocking.
    let task = state.withLock { $0.tasks.removeValue(forKey: number) }
    withExtendedLifetime(task) {}
  }

  func cancelAll() {
    let tasks = state.withLock { $0.tasks.values.map { $0 } }
    for task in tasks { task.cancel() }
  }

  deinit { cancelAll() }
}
