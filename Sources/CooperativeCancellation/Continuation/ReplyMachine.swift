public import CancellationInternals

/// What became of an answer that a registry passed on under its lock.
///
/// Whether the call took the answer; whether the call was cancelled or timed out before, which its
/// task forwards; and where the task sleeps, to be woken after unlocking if the answer counts, or
/// `nil` if it is awake.
@usableFromInline
package typealias Acceptance = (counts: Bool, isInterrupted: Bool, waiting: Wait?)

/// Reduces any number of answers to one.
///
/// ```
///               answer                take
///  ┌──────────┐ ─────────▶ ┌──────────┐ ────▶ ┌────────┐
///  │ expected │            │ answered │       │ called │ ◀─┐ answer (misuse)
///  └──────────┘            └──────────┘       └────────┘ ──┘
///    │  │   │ await             ▲ answer         ▲  ▲  ▲
///    │  │   └─────────────▶ ┌─────────┐   stop   │  │  │
///    │  │                   │ awaited │ ─────────┘  │  │
///    │  │ stop              └─────────┘             │  │
///    │  └─────────────────▶ ┌─────────┐   await     │  │
///    │                      │ stopped │ ────────────┘  │
///    │ operation threw      └─────────┘                │
///    └────────────────────▶ ┌──────────┐     answer    │
///                           │ unwanted │ ──────────────┘
///                           └──────────┘
/// ```
@usableFromInline package enum ReplyMachine<Answer: Sendable>: Sendable {
  /// Initial state. `operation` is running or has just returned, and the SDK has not answered.
  case expected

  /// The SDK answered. The task has not taken the answer.
  case answered(Answer)

  /// The task waits. The first answer wakes it.
  case awaited(by: Wait)

  /// No answer will come, and the task does not know this yet.
  case stopped

  /// `operation` threw. The first answer is discarded without a report.
  case unwanted

  /// The answer was taken or discarded. Another answer is misuse.
  case called

  @usableFromInline package enum Action: Sendable {
    case keep
    case wake(Wait)
    case discard
    case reportAndDiscard
  }

  /// Moves an answer that counts out of the caller's variable, so that only the task has it when it
  /// wakes.
  @_alwaysEmitIntoClient
  package mutating func answer(_ answer: inout Answer?) -> Action {
    switch self {
    case .expected:
      keep(&answer)
      return .keep
    case .awaited(let wait):
      keep(&answer)
      return .wake(wait)
    case .unwanted:
      self = .called
      return .discard
    case .answered, .stopped, .called:
      // The SDK has answered before. (`stopped` is only for calls in a registry.)
      return .reportAndDiscard
    }
  }

  /// The same for an answer that a registry passes on, under its lock. `reply` is what has this
  /// machine.
  ///
  /// An answer that does not count stays in the caller's variable, and is no misuse, because there
  /// may be another call for it.
  @_alwaysEmitIntoClient
  package mutating func accept(
    _ answer: inout Answer?,
    in reply: @autoclosure () -> AnyReply
  ) -> Acceptance {
    switch self {
    case .expected:
      // The task of the call is awake, and finds the answer before it sleeps.
      keep(&answer)
      return (true, false, nil)
    case .awaited(let wait):
      let (counts, isInterrupted) = wait.accept(.answered(in: reply()))
      // A task that was just woken by another thread waits for the reply's lock before it takes the
      // answer.
      if counts { keep(&answer) } else { self = .called }
      return (counts, isInterrupted, wait)
    case .answered, .stopped, .unwanted, .called:
      // The call has its answer, or wants none.
      return (false, false, nil)
    }
  }

  /// No answer will come.
  @_alwaysEmitIntoClient
  package mutating func stop() -> Acceptance {
    switch self {
    case .expected:
      // There is no wait yet that could end. The task asks before it sleeps.
      self = .stopped
      return (true, false, nil)
    case .awaited(let wait):
      self = .called
      let (counts, isInterrupted) = wait.accept(.stopped)
      return (counts, isInterrupted, wait)
    case .answered, .stopped, .unwanted, .called:
      return (false, false, nil)
    }
  }

  /// Moves the answer from the caller's variable into this machine.
  @_alwaysEmitIntoClient
  mutating func keep(_ answer: inout Answer?) {
    if let answer = answer.take() { self = .answered(answer) }
  }

  /// The task, or who discards for it, takes the answer. Returns `nil` if there is none.
  @_alwaysEmitIntoClient
  package mutating func take() -> Answer? {
    guard case .answered(let answer) = self else { return nil }
    self = .called
    return answer
  }

  /// The task is about to sleep. Returns an answer that came first; otherwise, the next one wakes
  /// the task.
  @_alwaysEmitIntoClient
  package mutating func takeOrAwait(by wait: Wait) -> Answer? {
    if let answer = take() { return answer }
    if case .stopped = self {
      // The task has not begun to sleep, and finds this as the end of its wait.
      _ = wait.accept(.stopped)
      self = .called
    } else {
      self = .awaited(by: wait)
    }
    return nil
  }

  /// `operation` threw. Returns an earlier answer, to discard.
  @_alwaysEmitIntoClient
  package mutating func operationThrew() -> Answer? {
    if let answer = take() { return answer }
    self = .unwanted
    return nil
  }
}
