import Synchronization

/// Tasks that are kept until they end, so that they can all be cancelled.
///
/// What it lacks: ids, a way to wait for all, an end of adding, and a place for errors. It makes each task under
/// its lock, so that the task cannot end before it is kept.
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
