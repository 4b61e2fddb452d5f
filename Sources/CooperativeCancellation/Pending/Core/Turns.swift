/// The lock around a ``TurnMachine``. What that returns is woken, discarded and released after unlocking.
///
/// To wait for one's turn is a pending call, too, which is answered when its turn has come. A turn that is not
/// delivered, because the task was cancelled, is passed on.
@usableFromInline
final class Turns: Sendable {
  private let machine = Locked(initially: TurnMachine())
  private let mayWait: Bool
  /// What a call in the queue hears when its turn has come.
  private let turn = carrier(of: Result<Void, any Error>.success(()))

  init(mayWait: Bool) {
    self.mayWait = mayWait
  }

  var count: Int { machine.locked { $0.count } }

  /// Returns when no other call is pending.
  @usableFromInline
  nonisolated(nonsending) func wait(_ terms: Terms, by deadline: Deadline?) async throws {
    switch machine.extract({ $0.ask(nil) }) {
    case .granted: return
    case .closed(let error): throw error
    case .queued, .busy:
      if !mayWait { throw AlreadyPendingError(callSite: terms.callSite) }
    }
    try await pendingBridge(
      // Whatever is to be done with the SDK's answer: the SDK has not been called.
      terms.responding(with: .abandonCallback),
      by: deadline,
      in: { try ask($0, terms.callSite) },
      onCancel: { number in
        if let number { _ = machine.extract { $0.leave(number) } }
      },
      onDiscard: { [self] in decline() }
    )
  }

  /// Returns the number in the queue, unless it is the call's turn already.
  private func ask(_ wait: Wait, _ callSite: CallSite) throws -> Int? {
    switch machine.extract({ $0.ask(wait) }) {
    case .granted: _ = wait.hear(.answered(in: turn))
    case .queued(let number): return number
    case .busy: throw AlreadyPendingError(callSite: callSite)
    case .closed(let error): throw error
    }
    return nil
  }

  private func decline() {
    grant(machine.extract { $0.decline() })
  }

  /// The SDK is about to be called. Returns the number of the call.
  @usableFromInline
  func begin(_ wait: Wait, onDiscard discard: (@Sendable (AnyReply) -> Void)?) throws -> Int {
    switch machine.extract({ $0.begin(wait, onDiscard: discard) }) {
    case .call(let number): return number
    case .closed(let error): throw error
    }
  }

  /// The SDK was not called.
  @usableFromInline
  func fail(_ number: Int) {
    grant(machine.extract { $0.fail(number) })
  }

  /// The call's `onCancel` has returned.
  @usableFromInline
  func forwarded(_ number: Int) {
    grant(machine.extract { $0.forwarded(number) })
  }

  /// Answers the call that is pending, and passes its turn on. Returns whether there was one.
  @usableFromInline
  func answer(_ answer: AnyReply) -> Bool {
    guard let taken = machine.extract({ $0.take(answer) }) else { return false }
    if taken.counts { taken.call.wait.wake() } else { taken.call.discard?(answer) }
    grant(taken.passed)
    return true
  }

  @usableFromInline
  func close(_ error: any Error, _ answer: AnyReply) {
    let (call, waiters) = machine.extract { $0.close(error) }
    _ = call?.wait.hear(.answered(in: answer))
    let end = carrier(of: Result<Void, any Error>.failure(error))
    for waiter in waiters { _ = waiter.wait.hear(.answered(in: end)) }
  }

  /// Wakes the next call that is not interrupted.
  private func grant(_ passed: TurnMachine.Passed?) {
    var passed = passed
    while let next = passed?.next, !next.wait.hear(.answered(in: turn)) {
      passed = machine.extract { $0.decline() }
    }
  }
}
