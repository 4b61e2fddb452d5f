/// The lock around a ``TurnMachine``. What that returns is answered and released after unlocking.
///
/// To wait for one's turn is a bridged call, too, which is answered when its turn has come. A turn that is not
/// delivered, because the task was cancelled, is passed on.
@usableFromInline
final class Turns: Sendable {
  @usableFromInline typealias Turn = Result<Void, any Error>

  private let machine = Locked(initially: TurnMachine())
  private let mayWait: Bool

  init(mayWait: Bool) {
    self.mayWait = mayWait
  }

  var count: Int { machine.locked { $0.count } }

  /// Returns when no other call is pending.
  @usableFromInline
  nonisolated(nonsending) func wait(_ terms: Terms, until deadline: Deadline?) async throws {
    let contents = ReplyContents<Turn>(terms.callSite) { [self] in decline($0) }
    let started = try start(contents, makeWait: Wait(response: .abandonCallback)) { reply in
      try ask(reply, terms.callSite)
    }
    let outcome = await outcome(
      of: started,
      by: deadline,
      takeAnswer: { take(from: $0) },
      onCancel: { leave($0) },
      onDiscard: nil
    )
    // Whatever is to be done with the SDK's answer: the SDK has not been called.
    try deliver(
      outcome,
      terms.responding(with: .abandonCallback),
      onDiscard: { [self] in decline(.success($0)) }
    )
  }

  /// Returns the number in the queue, unless it is the call's turn already.
  private func ask(_ reply: Reply<Turn>, _ callSite: CallSite) throws -> Int? {
    switch machine.extract({ $0.ask(reply.erased(), mayWait: mayWait) }) {
    case .granted: reply.answer(.success)
    case .queued(let number): return number
    case .refused: throw AlreadyPendingError(callSite: callSite)
    case .closed(let error): throw error
    }
    return nil
  }

  private func leave(_ number: Int?) {
    if let number { _ = machine.extract { $0.leave(number) } }
  }

  private func decline(_ turn: Turn) {
    if case .success = turn { grant(machine.extract { $0.decline() }) }
  }

  /// The SDK is about to be called. Returns the number of the call.
  @usableFromInline
  func begin(_ reply: AnyReply) throws -> Int {
    switch machine.extract({ $0.begin(reply) }) {
    case .call(let number): return number
    case .closed(let error): throw error
    }
  }

  /// The SDK was not called.
  @usableFromInline
  func fail(_ number: Int) {
    grant(machine.extract { $0.fail(number) })
  }

  /// Takes out the call that is pending, and passes its turn on when it has been answered.
  @usableFromInline
  func answer(_ answer: (AnyReply) -> Void) -> Bool {
    guard let passed = machine.extract({ $0.take() }), let call = passed.call else { return false }
    answer(call)
    grant(passed)
    return true
  }

  func close(_ error: any Error) -> AnyReply? {
    let (call, waiters) = machine.extract { $0.close(error) }
    for waiter in waiters { (typed(waiter.reply) as Reply<Turn>?)?.answer(.failure(error)) }
    return call
  }

  private func grant(_ passed: TurnMachine.Passed?) {
    guard let next = passed?.next else { return }
    (typed(next.reply) as Reply<Turn>?)?.answer(.success)
  }
}
