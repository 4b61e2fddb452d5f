/// Interrupts a wait at its deadline, unless the timer is stopped first.
@usableFromInline package enum WaitTimer: Sendable {
  case queued(DeadlinesMachine.Ticket)
  case sleeping(Task<Void, Never>)

  @usableFromInline package init(_ wait: Wait, until deadline: Deadline) {
    switch deadline {
    case .at(let moment):
      self = .queued(Deadlines.all.add(wait, until: moment))
    case .custom(let sleep):
      // Detached: a clock that reacts slowly to cancellation must not keep the caller's task-local
      // values.
      self = .sleeping(
        Task.detached(priority: Task.currentPriority) {
          // After a cancellation, the wait has ended, and the interruption changes nothing.
          try? await sleep()
          wait.interrupt(.timedOut)
        }
      )
    }
  }

  @usableFromInline package func stop(_ wait: Wait) {
    switch self {
    case .queued(let ticket): Deadlines.all.remove(wait, by: ticket)
    case .sleeping(let task): task.cancel()
    }
  }
}
