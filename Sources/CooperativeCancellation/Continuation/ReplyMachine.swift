/// Reduces any number of completion calls to one answer.
///
/// ```
///               answer                take
///  ┌──────────┐ ─────────▶ ┌──────────┐ ────▶ ┌────────┐
///  │ expected │            │ answered │       │ called │ ◀─┐ answer (misuse)
///  └──────────┘            └──────────┘       └────────┘ ──┘
///    │      │ await             ▲ answer           ▲
///    │      └─────────────▶ ┌─────────┐            │
///    │                      │ awaited │            │
///    │ operation threw      └─────────┘            │
///    └────────────────────▶ ┌──────────┐   answer  │
///                           │ unwanted │ ──────────┘
///                           └──────────┘
/// ```
@usableFromInline package enum ReplyMachine<Answer: Sendable>: Sendable {
  /// Initial state. `operation` is running or has just returned, and the SDK has not answered.
  case expected

  /// The SDK answered. The task has not taken the answer.
  case answered(Answer)

  /// The task waits. The first answer wakes it.
  case awaited(by: Wait)

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

  /// Moves an answer that counts out of the caller's variable, so that only the task has it when it wakes.
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
    case .answered, .called:
      return .reportAndDiscard
    }
  }

  @_alwaysEmitIntoClient
  mutating func keep(_ answer: inout Answer?) {
    if let answer = answer.take() { self = .answered(answer) }
  }

  @_alwaysEmitIntoClient
  package mutating func take() -> Answer? {
    guard case .answered(let answer) = self else { return nil }
    self = .called
    return answer
  }

  @_alwaysEmitIntoClient
  package mutating func takeOrAwait(by wait: Wait) -> Answer? {
    if let answer = take() { return answer }
    self = .awaited(by: wait)
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
