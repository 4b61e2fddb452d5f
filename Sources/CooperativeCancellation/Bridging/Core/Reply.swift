// The lock around a ``ReplyMachine``. While the task sleeps, only the completion closure owns the reply. If the SDK
// releases the closure without calling it, the reply is destroyed, which reveals a dropped completion.
//
// User values, user closures and the wait's lock are touched only after unlocking.

extension ReplyReference where Contents: ~Copyable {
  /// The SDK called the completion, on any thread.
  ///
  /// The reply keeps the answer until the task takes it. A second answer is misuse, unless it comes from a closure
  /// that the SDK may call at the end of every call.
  @inlinable
  package func answer<Answer>(_ answer: Answer, reportsAgain: Bool = true)
  where Contents == ReplyContents<Answer> {
    switch settle(answer) {
    case .keep:
      break
    case .wake(let wait):
      if !wait.hear(.answered(in: erased())), let refused = extract({ $0.take() }) {
        discard(refused)
      }
    case .discard:
      discard(answer)
    case .reportAndDiscard:
      if reportsAgain { MisuseReport.send(.completionCalledAgain, callSite()) }
      discard(answer)
    }
  }

  /// The SDK called a completion with a value and an error. If there is an error, the value is discarded.
  @inlinable
  func answer<Value>(_ value: Value, beside error: (any Error)?)
  where Contents == ReplyContents<Result<Value, any Error>> {
    if let error {
      answer(.failure(error))
      discard(.success(value))
    } else {
      answer(.success(value))
    }
  }

  /// The SDK called its failure closure, perhaps without an error.
  @inlinable
  func fail<Value>(with error: (any Error)?)
  where Contents == ReplyContents<Result<Value, any Error>> {
    answer(.failure(error ?? MissingValueError(callSite: callSite())))
  }

  /// `operation` threw: an answer of the SDK, earlier or later, is discarded.
  @inlinable
  @inline(never)
  func refuse<Answer>() where Contents == ReplyContents<Answer> {
    if let answer = extract({ $0.refuse() }) { discard(answer) }
  }
}
