// What a completion closure owns, and nobody else while the task sleeps: when the SDK has released the
// closure without calling it, the last reference goes, and that is how a dropped completion is noticed.
//
// The lock around a ``ReplyMachine``. Everything that is not the library's own, and the wait's lock,
// is touched after unlocking.

extension ReplyReference where Contents: ~Copyable {
  /// The SDK called the completion, on any thread.
  ///
  /// The answer rests here until the task takes it; the wait is told where. A second one is misuse, unless
  /// it comes from a closure that the SDK may call at the end of every call.
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

  /// The SDK called a completion that takes a value and an error: the error wins, and the value beside it
  /// is discarded.
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

  /// `operation` threw: whatever the SDK answers, before or after, is not delivered.
  @inlinable
  @inline(never)
  func refuse<Answer>() where Contents == ReplyContents<Answer> {
    if let answer = extract({ $0.refuse() }) { discard(answer) }
  }
}
