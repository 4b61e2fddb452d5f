public import Synchronization

/// What a completion closure owns, and nobody else while the task sleeps: when the SDK has released the
/// closure without calling it, the last reference goes, and that is how a dropped completion is noticed.
///
/// The lock around a ``ReplyMachine``. Everything that is not the library's own, and the wait's lock,
/// is touched after unlocking.
@frozen
@usableFromInline
package struct Reply<Answer: Sendable>: ~Copyable, SharedContents {
  @usableFromInline let callSite: CallSite
  @usableFromInline let discard: (@Sendable (Answer) -> Void)?
  /// Whether a drop is reported, because the wait does not throw an error for it.
  @usableFromInline let reportsDrop: Bool
  @usableFromInline let machine: Locked<ReplyMachine<Answer>>

  // Only to spare a look at the machine: before the wait, and at the end of every call that was answered,
  // where the code is not specialised (see `Shared`).
  @usableFromInline let wasCalled: Flag

  @inlinable
  package init(
    _ callSite: CallSite,
    reportsDrop: Bool = false,
    onDiscard discard: (@Sendable (Answer) -> Void)?
  ) {
    self.callSite = callSite
    self.discard = discard
    self.reportsDrop = reportsDrop
    self.machine = Locked(.expected)
    self.wasCalled = Flag()
  }

  /// The answer, if the SDK has given it and nobody has taken it.
  @inlinable
  func take() -> Answer? {
    wasCalled.isRaised ? machine.extract { $0.take() } : nil
  }

  /// The task is going to wait, unless the SDK has answered by now.
  @inlinable
  func takeOrAwait(by wait: Wait) -> Answer? {
    machine.withLock { $0.takeOrAwait(by: wait) }
  }

  /// `operation` threw: whatever the SDK answers, before or after, is not delivered.
  @inlinable
  func refuse() {
    if let answer = machine.extract({ $0.refuse() }) { discard?(answer) }
  }

  /// Nobody can call the completion any more.
  @inlinable
  package func lastReferenceWasReleased() {
    if !wasCalled.isRaised { drop() }
  }

  @inlinable
  func drop() {
    let wait: Wait? = machine.withLock { machine in
      if case .awaited(let wait) = machine { wait } else { nil }
    }
    // Not awaited means that `operation` threw: nobody waits.
    guard let wait, wait.hearDrop(), reportsDrop else { return }
    // Here, where it happened, and when the task has been woken: a slow handler does not keep it waiting.
    MisuseReport.send(.completionDropped, callSite)
  }
}

extension Shared where Contents: ~Copyable {
  /// The SDK called the completion, on any thread.
  ///
  /// The answer rests here until the task takes it; the wait is told where.
  @inlinable
  package func answer<Answer>(_ answer: Answer) where Contents == Reply<Answer> {
    contents.wasCalled.raise()
    switch contents.machine.withLock({ $0.answer(answer) }) {
    case .keep:
      break
    case .wake(let wait):
      if !wait.hear(.answered(in: self)), let refused = contents.take() {
        contents.discard?(refused)
      }
    case .discard:
      contents.discard?(answer)
    case .reportAndDiscard:
      MisuseReport.send(.completionCalledAgain, contents.callSite)
      contents.discard?(answer)
    }
  }

  /// The SDK called a completion that takes a value and an error: the error wins, and the value beside it
  /// is discarded.
  @inlinable
  func answer<Value>(_ value: Value, beside error: (any Error)?)
  where Contents == Reply<Result<Value, any Error>> {
    if let error {
      answer(.failure(error))
      contents.discard?(.success(value))
    } else {
      answer(.success(value))
    }
  }
}
