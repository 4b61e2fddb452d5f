internal import CancellationInternals

/// All timeouts of this process that use the library's clock: the lock around a
/// ``DeadlinesMachine``, and the alarm.
package final class Deadlines: Sendable {
  private struct State: ~Copyable {
    var queue = DeadlinesMachine()
    var alarm: Alarm

    /// Called under the lock, so that settings keep their order. It runs no user code.
    mutating func setAlarm(for moment: Moment?) {
      if let moment { alarm.set(after: Moment.now.nanoseconds(to: moment)) }
    }
  }

  package static let all: Deadlines = Deadlines()

  /// The number of waits to take before other threads can get the lock.
  private static let batch = 64

  private let state: Locked<State>

  private init() { state = Locked(initially: State(alarm: Alarm { Deadlines.all.ring() })) }

  package var count: Int { state.locked { $0.queue.count } }

  package func add(_ wait: Wait, until end: Moment) -> DeadlinesMachine.Ticket {
    state.locked { state in
      let (ticket, alarm) = state.queue.add(wait, until: end)
      state.setAlarm(for: alarm)
      return ticket
    }
  }

  package func remove(_ wait: Wait, by ticket: DeadlinesMachine.Ticket) {
    _ = state.extract { $0.queue.remove(wait, by: ticket) }
  }

  private func ring() {
    while true {
      let due = state.locked { state in
        let (waits, alarm) = state.queue.takeDue(at: .now, atMost: Deadlines.batch)
        state.setAlarm(for: alarm)
        return waits
      }
      if due.isEmpty { return }
      for wait in due { wait.interrupt(.timedOut) }
    }
  }
}

/// Interrupts a wait at its deadline, unless the timer is stopped first: what the waiting task
/// keeps of its place in the ``Deadlines``, or of a sleep on the caller's clock.
@usableFromInline package enum WaitTimer: Sendable {
  case queued(DeadlinesMachine.Ticket)
  case sleeping(Task<Void, Never>)

  @usableFromInline package init(_ wait: Wait, until deadline: Deadline) {
    switch deadline {
    case .at(let moment):
      self = .queued(Deadlines.all.add(wait, until: moment))
    case .custom(let sleep):
      // Detached, because a clock that reacts slowly to cancellation must not keep the caller's
      // task-local values.
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
