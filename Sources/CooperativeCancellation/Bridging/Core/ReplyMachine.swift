/// Makes one answer of a completion that the SDK may call never, once or many times.
///
/// ```
///               answer             takeEarly
///  ┌──────────┐ ──────▶ ┌───────┐ ──────────▶ ┌────────┐
///  │ expected │         │ early │  forward    │ called │ ◀─┐ answer (misuse)
///  └──────────┘         └───────┘ ──────────▶ └────────┘ ──┘
///    │      │ refuse                            ▲  ▲
///    │      └──────────▶ ┌──────────┐  answer   │  │
///    │ forward           │ unwanted │ ──────────┘  │ answer
///    └─────────────────▶ ┌─────────┐ ─────────────┘
///                        │ awaited │
///                        └─────────┘
/// ```
///
/// `Answer` is whatever the SDK reports: a value, a `Result`. A value type without a lock: ``Reply`` feeds
/// it and acts on what it returns.
@usableFromInline
package enum ReplyMachine<Answer: Sendable>: Sendable {
  /// Initial state: `operation` is running, or has just returned, and the SDK has not answered.
  case expected

  /// The SDK answered before the task went to wait; the task has not looked yet.
  case early(Answer)

  /// The task waits: the first answer is for its wait to accept or refuse.
  case awaited(Shared<Wait<Answer>>)

  /// `operation` threw: the first answer is discarded in silence.
  case unwanted

  /// The one answer was given. Another is misuse.
  case called

  /// What becomes of the answer passed to ``answer(_:)``.
  @usableFromInline
  package enum Action: Sendable {
    case keep
    case forward(to: Shared<Wait<Answer>>)
    case discard
    case reportAndDiscard
  }

  /// The SDK called the completion.
  @inlinable
  package mutating func answer(_ answer: Answer) -> Action {
    switch self {
    case .expected:
      self = .early(answer)
      return .keep
    case .awaited(let wait):
      self = .called
      return .forward(to: wait)
    case .unwanted:
      self = .called
      return .discard
    case .early, .called:
      return .reportAndDiscard
    }
  }

  /// The task looks for an answer that needs no waiting.
  @inlinable
  package mutating func takeEarly() -> Answer? {
    guard case .early(let answer) = self else { return nil }
    self = .called
    return answer
  }

  /// The task is going to wait. Returns an answer that came since it last looked.
  @inlinable
  package mutating func forward(to wait: Shared<Wait<Answer>>) -> Answer? {
    if let answer = takeEarly() { return answer }
    self = .awaited(wait)
    return nil
  }

  /// `operation` threw. Returns an answer that came before, for discarding.
  @inlinable
  package mutating func refuse() -> Answer? {
    if let answer = takeEarly() { return answer }
    self = .unwanted
    return nil
  }
}
