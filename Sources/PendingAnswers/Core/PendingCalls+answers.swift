public import CancellationInternals
public import CooperativeCancellation

// The shell around the registry: what the SDK's side calls, and what follows.

extension PendingCalls {
  @usableFromInline typealias Machine = PendingCallsMachine<ID, Value>

  /// Answers a call. An answer that no call takes is passed on here.
  @_alwaysEmitIntoClient
  func deliver(_ id: ID, _ answer: consuming PendingAnswer<Value>) {
    var answer: PendingAnswer<Value>? = consume answer
    if self.answer(id, &answer) { return }
    if let answer = answer.take() { passOn(id, consume answer) }
  }

  /// Returns whether a call took the answer, or one that is being made may. A call that was just
  /// cancelled takes none.
  @_alwaysEmitIntoClient
  func answer(_ id: ID, _ answer: consuming PendingAnswer<Value>) -> Bool {
    var answer: PendingAnswer<Value>? = consume answer
    return self.answer(id, &answer)
  }

  /// The same. An answer that no call took is still in the variable.
  @_alwaysEmitIntoClient
  func answer(_ id: ID, _ answer: inout PendingAnswer<Value>?) -> Bool {
    var outcome = Machine.Outcome()
    var isParked = false
    let hasCall = registry.locked { registry in
      let hasCall =
        sharing == nil
        ? registry.answer(id, &answer, &outcome)
        : registry.inLine(id, &outcome) { $0.answer(&answer, &$1) }
      // A call whose id is not known yet may have it.
      if !hasCall { isParked = registry.park(id, &answer) }
      return hasCall
    }
    if hasCall { perform(outcome.effects, &answer) }
    return hasCall || isParked
  }

  /// Does what follows from an event, after unlocking. The call's own `onDiscard` receives an
  /// answer that it does not take.
  @_alwaysEmitIntoClient
  @inline(__always)
  func perform(_ effects: borrowing Effects<Value>, _ answer: inout PendingAnswer<Value>?) {
    // Its late answer has arrived, so nothing needs to wait for the end of its time.
    effects.limit?.interrupt(.cancelled)
    effects.waiting?.wake()
    // The call was abandoned. This was its late answer, and no other call may get it.
    if !effects.answerIsTaken, answer != nil { effects.reply?.discard(answer.take()) }
    // Last, because the next call may call the SDK at once.
    effects.next?.wake()
  }

  /// Passes an event without an answer to the registry, and does what follows.
  @_alwaysEmitIntoClient
  @inline(__always)
  @discardableResult
  func perform<Result: Sendable>(_ event: (inout Machine, inout Machine.Outcome) -> Result)
    -> Result
  {
    var outcome = Machine.Outcome()
    let result = registry.locked { event(&$0, &outcome) }
    var nothing: PendingAnswer<Value>?
    perform(outcome.effects, &nothing)
    return result
  }

  /// Ends all calls with an error. Returns how many took it.
  @_alwaysEmitIntoClient
  func endAll(_ error: any Error, closes: Bool) -> Int {
    var ended = Machine.Ended()
    registry.locked { $0.endAll(error, closes: closes, &ended) }
    var nothing: PendingAnswer<Value>?
    for effects in ended.effects { perform(effects, &nothing) }
    pass(ended.unclaimed)
    return ended.effects.count { $0.answerIsTaken }
  }

  /// Passes on the answers that no call claimed. Mostly there are none, which the caller's code
  /// sees faster.
  @_alwaysEmitIntoClient
  @inline(__always)
  func pass(_ answers: consuming [Machine.Parked]) {
    if !answers.isEmpty { passOn(consume answers) }
  }

  @_alwaysEmitIntoClient
  @inline(never)
  func passOn(_ answers: consuming [Machine.Parked]) {
    // Each is moved out of the array, so that whoever receives a value has the only reference.
    answers.reverse()
    while let (id, answer, _) = answers.popLast() {
      passOn(id, consume answer)
    }
  }

  /// Passes an answer that no call takes to `onUnclaimed`, or its value to `onDiscard`.
  @_alwaysEmitIntoClient
  func passOn(_ id: ID, _ answer: consuming PendingAnswer<Value>) {
    switch consume answer {
    case .success(let value):
      if let unclaimed {
        unclaimed(id, .success((consume value).open()))
      } else {
        discard?((consume value).open())
      }
    case .failure(let error):
      unclaimed?(id, .failure(error))
    }
  }
}
