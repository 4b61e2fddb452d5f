/// The lock around a ``TurnMachine``. After unlocking, tasks are woken, and what it returns is discarded and released.
///
/// Waiting for a turn is a pending call, too, which is answered when the turn comes. A turn that is not delivered,
/// because the task was cancelled, is passed on.
@usableFromInline
final class Turns: Sendable {
  private let machine = Locked(
    initially: TurnMachine(
      turn: carrier(of: PendingAnswer<Void>.success(Disconnected(sendable: ())))
    )
  )
  private let mayWait: Bool

  init(mayWait: Bool) {
    self.mayWait = mayWait
  }

  var count: Int { machine.locked { $0.count } }

  /// Returns when no other call is pending.
  @usableFromInline
  nonisolated(nonsending) func wait(_ terms: Terms, by deadline: Deadline?) async throws {
    if try machine.locked({ try $0.ask() }) { return }
    if !mayWait { throw AlreadyPendingError(callSite: terms.callSite) }
    try await pendingBridge(
      terms.ofTurn,
      as: { _ in .turn },
      by: deadline,
      register: { wait in try machine.locked { try $0.queue(wait) } },
      in: { _, _ in },
      onCancel: { _ in },
      leave: { number, _ in _ = machine.extract { $0.leaveQueue(number) } },
      onDiscard: { [self] in machine.extract { $0.decline() }?.wake() }
    )
  }

  /// The SDK is about to be called. Returns the number of the call.
  @usableFromInline
  func begin(_ wait: Wait, onDiscard discard: (@Sendable (AnyReply) -> Void)?) throws -> Int {
    try machine.locked { try $0.begin(wait, onDiscard: discard) }
  }

  /// The call's `onCancel` has returned, or its `operation` threw.
  @usableFromInline
  func leave(_ number: Int, hasFailed: Bool) {
    machine.extract { $0.leave(number, hasFailed: hasFailed) }?.next?.wake()
  }

  /// Answers the call that is pending, and passes its turn on. Returns whether there was one.
  @usableFromInline
  func answer(_ answer: AnyReply) -> Bool {
    guard let answered = machine.extract({ $0.answer(answer) }) else { return false }
    if answered.counts { answered.call.wait.wake() } else { answered.call.discard?(answer) }
    answered.passed?.next?.wake()
    return true
  }

  @usableFromInline
  func close(_ error: any Error, _ answer: AnyReply) {
    let end = carrier(of: PendingAnswer<Void>.failure(error))
    let (call, waiting) = machine.extract { $0.close(error, answer, waiting: end) }
    call?.wait.wake()
    for wait in waiting { wait.wake() }
  }
}
