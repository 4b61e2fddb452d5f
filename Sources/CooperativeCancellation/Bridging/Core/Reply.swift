public import Synchronization

/// What a completion closure owns, and nobody else once the task waits: when the SDK has released the
/// closure without calling it, the last reference goes, and that is how a dropped completion is noticed.
///
/// The lock around a ``ReplyMachine``. Everything that is not the library's own, and the wait's lock,
/// is touched after unlocking.
@usableFromInline
package struct Reply<Answer: Sendable>: ~Copyable, SharedContents {
  @usableFromInline let callSite: CallSite
  @usableFromInline let discard: (@Sendable (Answer) -> Void)?
  @usableFromInline let machine: Locked<ReplyMachine<Answer>>

  // Spares the end of every call that was answered a look at the machine: that code is not specialised
  // (see `Shared`).
  @usableFromInline let wasCalled = Atomic<Bool>(false)

  @inlinable
  init(_ callSite: CallSite, onDiscard discard: (@Sendable (Answer) -> Void)?) {
    self.callSite = callSite
    self.discard = discard
    self.machine = Locked(.expected)
  }

  /// The SDK called the completion, on any thread.
  @inlinable
  func answer(_ answer: Answer) {
    // Relaxed: it is read when every reference has been released, and that orders it.
    wasCalled.store(true, ordering: .relaxed)
    switch machine.withLock({ $0.answer(answer) }) {
    case .keep:
      break
    case .forward(let wait):
      if !wait.contents.answer(answer) { discard?(answer) }
    case .discard:
      discard?(answer)
    case .reportAndDiscard:
      MisuseReport.send(.completionCalledAgain, callSite)
      discard?(answer)
    }
  }

  /// The SDK called a completion that takes a value and an error: the error wins, and the value beside it
  /// is discarded.
  @inlinable
  func answer<Value>(_ value: Value, beside error: (any Error)?)
  where Answer == Result<Value, any Error> {
    if let error {
      answer(.failure(error))
      discard?(.success(value))
    } else {
      answer(.success(value))
    }
  }

  /// The answer, if the SDK has given it already.
  @inlinable
  func takeEarly() -> Answer? {
    machine.withLock { $0.takeEarly() }
  }

  /// The task is going to wait: from now on `wait` decides what becomes of the answer.
  @inlinable
  func forward(to wait: Shared<Wait<Answer>>) {
    if let answer = machine.withLock({ $0.forward(to: wait) }) {
      // Nothing else knows this wait yet, so it accepts.
      _ = wait.contents.answer(answer)
    }
  }

  /// `operation` threw: whatever the SDK answers, before or after, is not delivered.
  @inlinable
  func refuse() {
    if let answer = machine.withLock({ $0.refuse() }) { discard?(answer) }
  }

  /// Nobody can call the completion any more.
  @inlinable
  package func lastReferenceWasReleased() {
    if !wasCalled.load(ordering: .relaxed) { drop() }
  }

  @inlinable
  func drop() {
    let wait: Shared<Wait<Answer>>? = machine.withLock { machine in
      if case .awaited(let wait) = machine { wait } else { nil }
    }
    // Not awaited means that `operation` threw: nobody waits.
    wait?.contents.drop()
  }
}
