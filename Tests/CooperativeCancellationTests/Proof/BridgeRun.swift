import CooperativeCancellation

/// One bridged call with all its participants: the task, each call of the completion on a thread of its own,
/// the SDK that releases it, a cancellation and a timeout.
///
/// It drives the library's two state machines through the steps of `Reply`, `Wait` and `bridge`. Each atomic operation
/// there (a lock taken once, a flag read or written, the runtime's cancellation handler set or removed) is one
/// step here, and between any two of them any other participant may take a step. The guarantees use only what was
/// seen from outside: which steps had begun, and which had finished, before others.
///
/// Why the steps are repeated here: a test can stop the real `Reply` and `Wait` before an event, after it, and in the
/// caller's closures, but not between two locks. That covers 12 468 of the 207 721 situations of the debug test. In all
/// others, a participant is between two steps.
struct BridgeRun: Explorable {
  enum CallResult: Hashable { case success, failure }

  /// The participants.
  struct Cast: Hashable {
    /// Whether it is a bridge, with its two checks, or a continuation.
    var checks: Bool
    var response: CancellationResponse
    var calls: [CallResult]
    var isReleased: Bool
    var isCancelled: Bool
    var timesOut: Bool
  }

  enum Outcome: Hashable { case value(Int), error(Int), dropped, interrupted(Interruption), thrown }

  enum TaskStep: Hashable {
    case begins
    case runsOperation
    case operationThrew
    case looksAtFlag, takes, takesOrWaits, letsGoOfReply
    case setsHandler, isCancelledAlready, sleeps, isAsleep, removesHandler
    case reads, forwards, takesAnswer(discarding: Interruption?), checksAfter(Int)
    case ended(Outcome)
  }

  enum CallStep: Hashable {
    case isToCome
    case raisesFlag, answers, tells, wakes, takesBack
    case isOver
  }

  enum DropStep: Hashable { case isToCome, looksAtFlag, looksAtMachine, tells, wakes, isOver }

  /// The cancellation, or the timeout.
  struct Interrupter: Hashable {
    enum Step: Hashable { case isToCome, interrupts, wakes, isOver }

    var step = Step.isToCome
    /// Whether it began when the call that counts, or the drop, had finished.
    var cameAfterAnswer = false
  }

  /// Everything that is visible outside the machines.
  struct Facts: Hashable {
    var task = TaskStep.begins
    var calls: [CallStep]
    var drop = DropStep.isToCome
    var cancel = Interrupter()
    var timeout = Interrupter()

    var references = 0
    var sdkHolds = false
    var flag = false
    var hasWait = false
    var hasHandler = false
    /// Whether the wait keeps a continuation that wakes the task.
    var hasSleeper = false
    /// Whether the task has read how the wait ended: nothing is asked of it any more.
    var endIsRead = false
    var isCancelled = false

    var discarded: [Int] = []
    var reports = 0
    var forwarded = 0
    var accepted: Interruption?
    /// Whether the call that counts, or the drop, had finished.
    var isAnswered = false
    /// Which calls were told that they decide how the wait ends.
    var decided: [Int] = []
    /// Which calls began when an interruption had been accepted.
    var lateCalls: Set<Int> = []
    /// Every input of the wait: its state follows from them.
    var told: [Word] = []
  }

  enum Word: Hashable { case isRead, answer, drop, interruption(Interruption) }

  enum Move {
    case operationReturns, operationThrows
    case task(TaskStep)
    case call(Int, CallStep)
    case sdkReleases
    case drop(DropStep)
    case interruption(Interruption, Interrupter.Step)
  }

  struct Situation: Hashable {
    enum Reply: Hashable { case expected, answered(Int), awaited, unwanted, called }

    let facts: Facts
    let reply: Reply
  }

  let cast: Cast
  var facts: Facts
  var history: [Move] = []
  private var reply = ReplyMachine<Int>.expected
  private var wait: WaitMachine
  private let holder = carrier(of: 0)
  private static let someWait = Wait(response: .abandonCallback)

  init(_ cast: Cast) {
    self.cast = cast
    facts = Facts(calls: cast.calls.map { _ in .isToCome })
    wait = WaitMachine(response: cast.response)
  }

  var situation: Situation {
    switch reply {
    case .expected: Situation(facts: facts, reply: .expected)
    case .answered(let call): Situation(facts: facts, reply: .answered(call))
    case .awaited: Situation(facts: facts, reply: .awaited)
    case .unwanted: Situation(facts: facts, reply: .unwanted)
    case .called: Situation(facts: facts, reply: .called)
    }
  }

  private var hasEnded: Bool {
    if case .ended = facts.task { true } else { false }
  }

  // MARK: What may happen next

  func moves(_ step: (Move, (inout BridgeRun) -> Void) -> Void) {
    switch facts.task {
    case .isAsleep, .ended: break
    case .removesHandler where facts.cancel.step == .interrupts || facts.cancel.step == .wakes:
      break  // The runtime removes no handler that is running.
    case .runsOperation:
      step(.operationReturns) { $0.facts.task = .looksAtFlag }
      step(.operationThrows) { $0.facts.task = .operationThrew }
    default: step(.task(facts.task)) { $0.taskGoesOn() }
    }
    for (number, call) in facts.calls.enumerated() where call != .isOver {
      // The SDK can call as long as it holds the completion.
      if call == .isToCome, !facts.sdkHolds { continue }
      step(.call(number, call)) { $0.callGoesOn(number) }
    }
    if cast.isReleased, facts.sdkHolds, facts.task != .runsOperation || !facts.calls.isEmpty {
      step(.sdkReleases) {
        $0.facts.sdkHolds = false
        $0.release()
      }
    }
    if facts.drop != .isToCome, facts.drop != .isOver {
      step(.drop(facts.drop)) { $0.dropGoesOn() }
    }
    if cast.isCancelled, facts.cancel.step != .isOver {
      step(.interruption(.cancelled, facts.cancel.step)) { $0.goesOn(.cancelled, \.cancel) }
    }
    if cast.timesOut, facts.hasWait, facts.timeout.step != .isOver {
      step(.interruption(.timedOut, facts.timeout.step)) { $0.goesOn(.timedOut, \.timeout) }
    }
  }

  // MARK: The task

  private mutating func taskGoesOn() {
    switch facts.task {
    case .begins:
      if cast.checks, facts.isCancelled, cast.response.heeds {
        end(.interrupted(.cancelled))
      } else {
        facts.references = 2  // The frame that runs `operation`, and the SDK.
        facts.sdkHolds = true
        facts.task = .runsOperation
      }
    case .operationThrew:
      if let call = reply.operationThrew() { discard(call) }
      release()
      end(.thrown)
    case .looksAtFlag:
      facts.task = facts.flag ? .takes : .takesOrWaits
    case .takes:
      if let call = reply.take() { answered(call) } else { facts.task = .takesOrWaits }
    case .takesOrWaits:
      if let call = reply.takeOrAwait(by: Self.someWait) {
        answered(call)
      } else {
        facts.hasWait = true
        facts.task = .letsGoOfReply
      }
    case .letsGoOfReply:
      release()
      facts.task = .setsHandler
    case .setsHandler:
      facts.hasHandler = true
      facts.task = facts.isCancelled ? .isCancelledAlready : .sleeps
    case .isCancelledAlready:
      // The runtime calls the handler here and now. Nobody sleeps yet.
      _ = interrupt(.cancelled, cameAfterAnswer: facts.cancel.cameAfterAnswer)
      facts.task = .sleeps
    case .sleeps:
      facts.hasSleeper = wait.hasNoEvent
      facts.task = facts.hasSleeper ? .isAsleep : .removesHandler
    case .removesHandler:
      facts.hasHandler = false
      facts.task = .reads
    case .reads:
      facts.told.append(.isRead)
      let event = wait.next()
      if case .ended = event { facts.endIsRead = true }
      switch event {
      case nil: facts.task = .setsHandler
      case .interrupted: facts.task = .forwards
      case .ended(.dropped): end(.dropped)
      case .ended(.answered): facts.task = .takesAnswer(discarding: nil)
      case .ended(.interrupted(let cause, discarding: nil)): end(.interrupted(cause))
      case .ended(.interrupted(let cause, discarding: _?)):
        facts.task = .takesAnswer(discarding: cause)
      }
    case .forwards:
      facts.forwarded += 1
      require(facts.forwarded == 1, "the cancellation is forwarded once")
      facts.task = .reads
    case .takesAnswer(let cause):
      let call = reply.take()
      require(call != nil, "the answer that the wait was told of is there")
      if let cause {
        if let call { discard(call) }
        end(.interrupted(cause))
      } else if let call {
        answered(call)
      }
    case .checksAfter(let call):
      if cast.checks, !cast.response.delivers, facts.isCancelled {
        discard(call)
        end(.interrupted(.cancelled))
      } else {
        end(.value(call))
      }
    case .runsOperation, .isAsleep, .ended:
      break
    }
  }

  private mutating func answered(_ call: Int) {
    switch cast.calls[call] {
    case .success: facts.task = .checksAfter(call)
    case .failure: end(.error(call))
    }
  }

  private mutating func end(_ outcome: Outcome) {
    require(!hasEnded, "one outcome")
    checkResponse(outcome)
    facts.task = .ended(outcome)
  }

  private mutating func takeSleeper() -> Bool {
    defer { facts.hasSleeper = false }
    return facts.hasSleeper
  }

  private mutating func wakeTask() {
    require(facts.task == .isAsleep, "a continuation is resumed once")
    facts.task = .removesHandler
  }

  // MARK: The SDK

  private mutating func callGoesOn(_ number: Int) {
    switch facts.calls[number] {
    case .isToCome:
      facts.references += 1
      if facts.accepted != nil { facts.lateCalls.insert(number) }
      facts.calls[number] = .raisesFlag
    case .raisesFlag:
      facts.flag = true
      facts.calls[number] = .answers
    case .answers:
      switch reply.answer(number) {
      case .keep:
        facts.isAnswered = true
        facts.decided.append(number)
        callIsOver(number)
      case .wake: facts.calls[number] = .tells
      case .discard:
        discard(number)
        callIsOver(number)
      case .reportAndDiscard:
        facts.reports += 1
        discard(number)
        callIsOver(number)
      }
    case .tells:
      facts.told.append(.answer)
      if wait.finalEventDecides { facts.decided.append(number) }
      if wait.receive(.answered(in: holder)) != .refused {
        facts.isAnswered = true
        if takeSleeper() { facts.calls[number] = .wakes } else { callIsOver(number) }
      } else {
        facts.calls[number] = .takesBack
      }
    case .wakes:
      wakeTask()
      callIsOver(number)
    case .takesBack:
      let call = reply.take()
      require(call == number, "a refused answer is still there")
      if let call { discard(call) }
      callIsOver(number)
    case .isOver:
      break
    }
  }

  private mutating func callIsOver(_ number: Int) {
    facts.calls[number] = .isOver
    release()
  }

  private mutating func release() {
    facts.references -= 1
    if facts.references == 0 { facts.drop = .looksAtFlag }
  }

  private mutating func dropGoesOn() {
    switch facts.drop {
    case .looksAtFlag:
      facts.drop = facts.flag ? .isOver : .looksAtMachine
    case .looksAtMachine:
      if case .awaited = reply { facts.drop = .tells } else { facts.drop = .isOver }
    case .tells:
      facts.told.append(.drop)
      let counts = wait.receive(.dropped) != .refused
      facts.isAnswered = facts.isAnswered || counts
      facts.drop = counts && takeSleeper() ? .wakes : .isOver
    case .wakes:
      wakeTask()
      facts.drop = .isOver
    case .isToCome, .isOver:
      break
    }
  }

  private mutating func discard(_ call: Int) {
    // As `onlyValues` does: an error that loses is dropped.
    if cast.calls[call] == .success {
      require(!facts.discarded.contains(call), "a value is discarded once")
      facts.discarded.append(call)
    }
  }

  // MARK: Cancellation and timeout

  private mutating func goesOn(
    _ cause: Interruption,
    _ own: WritableKeyPath<Facts, Interrupter>
  ) {
    switch facts[keyPath: own].step {
    case .isToCome:
      if cause == .cancelled { facts.isCancelled = true }
      facts[keyPath: own].cameAfterAnswer = facts.isAnswered
      // The runtime has a handler to call, or it has not.
      let interrupts = cause == .timedOut || facts.hasHandler
      facts[keyPath: own].step = interrupts ? .interrupts : .isOver
    case .interrupts:
      let wakes = interrupt(cause, cameAfterAnswer: facts[keyPath: own].cameAfterAnswer)
      facts[keyPath: own].step = wakes ? .wakes : .isOver
    case .wakes:
      wakeTask()
      facts[keyPath: own].step = .isOver
    case .isOver:
      break
    }
  }

  /// Returns whether a sleeping task is to be woken.
  private mutating func interrupt(_ cause: Interruption, cameAfterAnswer: Bool) -> Bool {
    facts.told.append(.interruption(cause))
    let counts = wait.interrupt(cause)
    if facts.endIsRead { return false }
    if cause == .cancelled, !cast.response.heeds {
      require(!counts, "a cancellation is ignored")
      return false
    }
    if counts {
      require(!cameAfterAnswer, "an interruption after the answer does not count")
      require(facts.accepted == nil, "one interruption")
      facts.accepted = cause
      return takeSleeper()
    }
    let someoneElseHadBegun =
      facts.accepted != nil || hasEnded || facts.drop != .isToCome
      || facts.calls.contains { $0 != .isToCome }
    require(someoneElseHadBegun, "an interruption that comes first counts")
    return false
  }

  // MARK: Guarantees

  /// What the contract says of a wait that was interrupted before the SDK's answer.
  private func checkResponse(_ outcome: Outcome) {
    guard let cause = facts.accepted else { return }
    let hasHeard = facts.told.contains(.answer) || facts.told.contains(.drop)
    let isInterrupted = outcome == .interrupted(cause)
    switch cast.response {
    case .abandonCallback, .ignoreCancellation:
      require(isInterrupted, "it ends with the interruption")
    case .waitForCallback:
      require(isInterrupted && hasHeard, "it waits, and ends with the interruption")
    case .deliverResult:
      require(!isInterrupted && hasHeard, "it waits, and ends with what the SDK said")
    }
  }

  /// What a list of waiting calls says of a task that sleeps.
  func checkStep() {
    guard facts.task == .isAsleep else { return }
    let state: WaitingCall.State =
      switch facts.accepted {
      case _ where !facts.hasSleeper: .over
      case nil: .waiting
      case .cancelled: .cancelled
      case .timedOut: .timedOut
      }
    require(wait.progress == state, "the call is listed as \(state), not as \(wait.progress)")
  }

  func checkEnd() {
    let made = facts.calls.indices.filter { facts.calls[$0] == .isOver }
    require(facts.reports == max(0, made.count - 1), "each call but the first is reported")
    let produced = made.filter { cast.calls[$0] == .success }
    var delivered: [Int] = []
    switch facts.task {
    case .ended(.value(let call)):
      delivered = [call]
      require(
        cast.response == .deliverResult || !facts.lateCalls.contains(call),
        "a value after an interruption is not delivered"
      )
      require(
        facts.accepted == nil || cast.response == .deliverResult,
        "after an interruption, a value is delivered only if that is asked for"
      )
    case .ended(.error(let call)):
      require(
        cast.response == .deliverResult || !facts.lateCalls.contains(call),
        "an error after an interruption is not delivered"
      )
    case .ended(.dropped):
      require(made.isEmpty, "a completion that was called was not dropped")
    case .ended(.interrupted(let cause)):
      require(
        facts.accepted == cause
          || cast.checks && cause == .cancelled && facts.isCancelled && cast.response.heeds,
        "an interruption has a cause"
      )
    case .ended(.thrown):
      require(facts.accepted == nil && facts.forwarded == 0, "after a throw nothing is forwarded")
    default:
      require(
        made.isEmpty && facts.sdkHolds
          && (facts.accepted == nil || !cast.response.endsAtOnce),
        "the wait ends, unless the SDK keeps the completion forever and nothing interrupts"
      )
    }
    require(
      Set(produced) == Set(delivered + facts.discarded)
        && produced.count == delivered.count + facts.discarded.count,
      "delivered + discarded = produced"
    )
    require((facts.forwarded == 1) == (facts.accepted != nil), "what interrupts is forwarded")
    let deciding: Int? =
      switch facts.task {
      case .ended(.value(let call)), .ended(.error(let call)): call
      default: nil
      }
    // The check after, or an error from `operation`, may still discard a value that came first.
    let mayBeDiscarded = cast.checks || facts.task == .ended(.thrown)
    require(
      mayBeDiscarded && deciding == nil || facts.decided == (deciding.map { [$0] } ?? []),
      "a resumption is told whether it decides"
    )
  }
}
