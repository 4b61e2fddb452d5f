/// The moment at which a call's time is up.
@usableFromInline
enum Deadline: Sendable {
  case at(Moment)
  /// On a clock of the caller's, which sleeps until then.
  case custom(sleep: @Sendable () async throws -> Void)
}

/// Interrupts a wait when its time is up, unless it is stopped before.
enum Timer: Sendable {
  case queued(DeadlineQueue.Ticket)
  case sleeping(Task<Void, Never>)

  init(_ wait: Wait, until deadline: Deadline) {
    switch deadline {
    case .at(let moment):
      self = .queued(Deadlines.all.add(wait, until: moment))
    case .custom(let sleep):
      // Detached, so that it keeps nothing of the caller's alive, its task-local values included, if the
      // clock is slow to notice that it is cancelled.
      self = .sleeping(
        Task.detached(priority: Task.currentPriority) {
          // Cancelled, it comes to a wait that has ended, where it changes nothing.
          try? await sleep()
          wait.interrupt(.timedOut)
        }
      )
    }
  }

  func stop(_ wait: Wait) {
    switch self {
    case .queued(let ticket): Deadlines.all.remove(wait, by: ticket)
    case .sleeping(let task): task.cancel()
    }
  }
}
