public import CancellationInternals

/// How a call ended.
@usableFromInline package enum CallOutcome<Answer: Sendable>: ~Copyable {
  case answered(Answer)
  case dropped
  case interrupted(Interruption)

  /// The outcome of a wait that has ended. Discards an answer that is not returned.
  @_alwaysEmitIntoClient
  package init(
    of end: WaitMachine.End,
    takeAnswer: (AnyReply) -> Answer?,
    onDiscard discard: Discard<Answer>?
  ) {
    switch end {
    case .answered(let reply):
      self = takeAnswer(reply).map { .answered($0) } ?? .dropped
    case .dropped:
      self = .dropped
    case .interrupted(let cause, let reply):
      if let reply, let answer = takeAnswer(reply) { discard?(consume answer) }
      self = .interrupted(cause)
    }
  }

  /// Checks after: if the task is cancelled, withholds a value, so the SDK must hear of the
  /// cancellation as if it had come before the answer. Otherwise, what the SDK has begun would go
  /// on, and no caller would know of it.
  ///
  /// One look at the task decides both. With two, a cancellation in between would withhold the
  /// value and tell no one.
  ///
  /// `hold` may refuse to withhold. If nothing is withheld, `read` learns that the task has a
  /// value.
  @_alwaysEmitIntoClient
  @inline(__always)
  package consuming func checkedAfter<Value, Problem>(
    _ options: CallOptions,
    hold: () -> Bool = { true },
    onCancel cancel: () -> Void,
    read: () -> Void = {},
    onDiscard discard: Discard<Answer>?
  ) -> CallOutcome where Answer == Result<Sent<Value>, Problem> {
    switch consume self {
    case .answered(let answer):
      if options.response.checksAfter, answer.isSuccess {
        if Task.isCancelled, hold() {
          cancel()
          discard?(consume answer)
          return .interrupted(.cancelled)
        }
        read()
      }
      return .answered(answer)
    case .dropped:
      return .dropped
    case .interrupted(let cause):
      return .interrupted(cause)
    }
  }

  /// Returns the value or throws.
  @_alwaysEmitIntoClient
  package consuming func deliver<Value>(
    _ options: CallOptions
  ) throws -> sending Value where Answer == Result<Sent<Value>, any Error> {
    switch self {
    case .answered(.success(let value)):
      return value.open()
    case .answered(.failure(let error)):
      throw error
    case .dropped:
      throw droppedCompletionError(options.callSite)
    case .interrupted(let cause):
      throw options.error(for: cause)
    }
  }
}
