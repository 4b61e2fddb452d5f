/// Makes one answer of a completion that the SDK may call never, once or many times.
///
/// ```
///               answer             take
///  ┌──────────┐ ──────▶ ┌──────────┐ ────▶ ┌────────┐
///  │ expected │         │ answered │       │ called │ ◀─┐ answer (misuse)
///  └──────────┘         └──────────┘       └────────┘ ──┘
///    │      │ await          ▲ answer           ▲
///    │      └──────────▶ ┌─────────┐            │
///    │ refuse            │ awaited │            │
///    │                   └─────────┘            │
///    └─────────────────▶ ┌──────────┐   answer  │
///                        │ unwanted │ ──────────┘
///                        └──────────┘
/// ```
///
/// `Answer` is whatever the SDK reports: a value, a `Result`. A value type without a lock: ``Reply`` feeds
/// it and acts on what it returns.
@usableFromInline
package enum ReplyMachine<Answer: Sendable>: Sendable {
  /// Initial state: `operation` is running, or has just returned, and the SDK has not answered.
  case expected

  /// The SDK answered, and nobody has taken the answer yet.
  case answered(Answer)

  /// The task waits: the first answer wakes it.
  case awaited(by: Wait)

  /// `operation` threw: the first answer is discarded in silence.
  case unwanted

  /// The one answer was taken or discarded. Another is misuse.
  case called

  /// What becomes of the answer passed to ``answer(_:)``.
  @usableFromInline
  package enum Action: Sendable {
    case keep
    case wake(Wait)
    case discard
    case reportAndDiscard
  }

  /// The SDK called the completion.
  @inlinable
  package mutating func answer(_ answer: Answer) -> Action {
    switch self {
    case .expected:
      self = .answered(answer)
      return .keep
    case .awaited(let wait):
      self = .answered(answer)
      return .wake(wait)
    case .unwanted:
      self = .called
      return .discard
    case .answered, .called:
      return .reportAndDiscard
    }
  }

  /// Takes the answer, if it is there.
  @inlinable
  package mutating func take() -> Answer? {
    guard case .answered(let answer) = self else { return nil }
    self = .called
    return answer
  }

  /// The task is going to wait, unless the answer is there: then it is taken.
  @inlinable
  package mutating func takeOrAwait(by wait: Wait) -> Answer? {
    if let answer = take() { return answer }
    self = .awaited(by: wait)
    return nil
  }

  /// `operation` threw. Returns an answer that came before, for discarding.
  @inlinable
  package mutating func refuse() -> Answer? {
    if let answer = take() { return answer }
    self = .unwanted
    return nil
  }
}
