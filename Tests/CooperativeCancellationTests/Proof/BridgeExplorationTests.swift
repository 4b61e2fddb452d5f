import CooperativeCancellation
import PendingAnswers
import Testing

/// One bridged call with all its participants: the task, each call of the completion on a thread of its own,
/// the SDK that releases it, a cancellation and a timeout.
///
/// It drives the library's two state machines through the steps of `Reply`, `Wait` and `bridge`. Each atomic operation
/// there (a lock taken once, the runtime's cancellation handler set or removed) is one step here, and between any two
/// of them any other participant may take a step. The guarantees use only what was seen from outside: which steps had
/// begun, and which had finished, before others.
///
/// Why the steps are repeated here: a test can stop the real `Reply` and `Wait` before an event, after it, and in the
/// caller's closures, but not between two locks. In most situations, a participant is between two steps.
private struct BridgeRun: Explorable {
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
    case begins, runsOperation, operationThrew
    case takes, takesOrWaits, letsGoOfReply
    case setsHandler, isCancelledAlready, sleeps, isAsleep, removesHandler
    case reads, forwards, takesAnswer(discarding: Interruption?), checksAfter(Int)
    case ended(Outcome)
  }

  enum CallStep: Hashable { case isToCome, answers, tells, wakes, takesBack, isOver }

  enum DropStep: Hashable { case isToCome, tells, wakes, isOver }

  /// The cancellation, or the timeout.
  struct Interrupter: Hashable {
    enum Step: Hashable { case isToCome, interrupts, wakes, isOver }

    var step = Step.isToCome
    /// Whether it began when the call that counts, or the drop, had finished.
    var cameAfterAnswer = false
  }

  /// Every input of the wait: its state follows from them.
  enum Word: Hashable { case isRead, answer, drop, interruption(Interruption) }

  struct Situation: Hashable {
    var task = TaskStep.begins
    var calls: [CallStep]
    var drop = DropStep.isToCome
    var cancel = Interrupter()
    var timeout = Interrupter()

    /// Those of the completion, and of calls that run; one is the frame that runs `operation`.
    var references = 0
    var sdkHolds = false
    var hasWait = false
    /// Whether the wait keeps a continuation that wakes the task.
    var hasSleeper = false

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
    var told: [Word] = []
    /// The state of the reply.
    var reply = ReplyMachine<Int>.expected.key
  }

  let cast: Cast
  var history: [Step] = []
  private var facts: Situation
  private var reply = ReplyMachine<Int>.expected
  private var wait: WaitMachine
  private let holder = carrier(of: 0)
  private static let someWait = Wait(response: .abandonCallback)

  init(_ cast: Cast) {
    self.cast = cast
    facts = Situation(calls: cast.calls.map { _ in .isToCome })
    wait = WaitMachine(response: cast.response)
  }

  var situation: Situation {
    var situation = facts
    situation.reply = reply.key
    return situation
  }

  private var outcome: Outcome? {
    if case .ended(let outcome) = facts.task { outcome } else { nil }
  }

  private var isCancelled: Bool { facts.cancel.step != .isToCome }

  private var hasHandler: Bool {
    [.isCancelledAlready, .sleeps, .isAsleep, .removesHandler].contains(facts.task)
  }

  // MARK: What may happen next

  func moves(_ step: inout Steps<BridgeRun>) {
    switch facts.task {
    case .isAsleep, .ended: break
    case .removesHandler where facts.cancel.step == .interrupts || facts.cancel.step == .wakes:
      break  // The runtime removes no handler that is running.
    case .runsOperation:
      step("operation returns") { $0.facts.task = .takes }
      step("operation throws") { $0.facts.task = .operationThrew }
    default: step("task") { $0.taskGoesOn() }
    }
    for (number, call) in facts.calls.enumerated() where call != .isOver {
      // The SDK can call as long as it holds the completion.
      if call == .isToCome, !facts.sdkHolds { continue }
      step("call", number) { $0.callGoesOn(number) }
    }
    if cast.isReleased, facts.sdkHolds, facts.task != .runsOperation || !facts.calls.isEmpty {
      step("SDK releases") {
        $0.facts.sdkHolds = false
        $0.release()
      }
    }
    if facts.drop == .tells || facts.drop == .wakes { step("drop") { $0.dropGoesOn() } }
    if cast.isCancelled, facts.cancel.step != .isOver {
      step("cancellation") { $0.goesOn(.cancelled, \.cancel) }
    }
    if cast.timesOut, facts.hasWait, facts.timeout.step != .isOver {
      step("timeout") { $0.goesOn(.timedOut, \.timeout) }
    }
  }

  // MARK: The task

  private mutating func taskGoesOn() {
    switch facts.task {
    case .begins:
      if cast.checks, isCancelled, cast.response.heeds { return end(.interrupted(.cancelled)) }
      facts.references = 2
      facts.sdkHolds = true
      facts.task = .runsOperation
    case .operationThrew:
      if let call = reply.operationThrew() { discard(call) }
      release()
      end(.thrown)
    case .takes:
      if let call = reply.take() { answered(call) } else { facts.task = .takesOrWaits }
    case .takesOrWaits:
      if let call = reply.takeOrAwait(by: Self.someWait) { return answered(call) }
      facts.hasWait = true
      facts.task = .letsGoOfReply
    case .letsGoOfReply:
      release()
      facts.task = .setsHandler
    case .setsHandler:
      facts.task = isCancelled ? .isCancelledAlready : .sleeps
    case .isCancelledAlready:
      // The runtime calls the handler here and now. The task does not sleep yet.
      _ = interrupt(.cancelled, cameAfterAnswer: facts.cancel.cameAfterAnswer)
      facts.task = .sleeps
    case .sleeps:
      facts.hasSleeper = wait.hasNoEvent
      facts.task = facts.hasSleeper ? .isAsleep : .removesHandler
    case .removesHandler:
      facts.task = .reads
    case .reads:
      facts.told.append(.isRead)
      switch wait.next() {
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
      guard let call = reply.take() else {
        return require(false, "the answer that the wait was told of is there")
      }
      guard let cause else { return answered(call) }
      discard(call)
      end(.interrupted(cause))
    case .checksAfter(let call):
      guard cast.checks, !cast.response.delivers, isCancelled else { return end(.value(call)) }
      discard(call)
      end(.interrupted(.cancelled))
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
      facts.calls[number] = .answers
    case .answers:
      var answer: Int? = number
      switch reply.answer(&answer) {
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
      if wait.receive(.answered(in: holder)) {
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

  /// The last release destroys the reply, which no other thread can see anymore.
  private mutating func release() {
    facts.references -= 1
    if facts.references > 0 { return }
    if case .awaited = reply { facts.drop = .tells } else { facts.drop = .isOver }
  }

  private mutating func dropGoesOn() {
    if facts.drop == .wakes {
      wakeTask()
      facts.drop = .isOver
    } else {
      facts.told.append(.drop)
      let counts = wait.receive(.dropped)
      facts.isAnswered = facts.isAnswered || counts
      facts.drop = counts && takeSleeper() ? .wakes : .isOver
    }
  }

  private mutating func discard(_ call: Int) {
    // As `onlyValues` does: an error that loses is dropped.
    if cast.calls[call] == .success { facts.discarded.append(call) }
  }

  // MARK: Cancellation and timeout

  private mutating func goesOn(
    _ cause: Interruption,
    _ own: WritableKeyPath<Situation, Interrupter>
  ) {
    switch facts[keyPath: own].step {
    case .isToCome:
      facts[keyPath: own].cameAfterAnswer = facts.isAnswered
      // The runtime has a handler to call, or it has not.
      facts[keyPath: own].step = cause == .timedOut || hasHandler ? .interrupts : .isOver
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
    switch facts.task {
    case .takesAnswer, .checksAfter, .ended: return false  // The task has read how the wait ended.
    default: break
    }
    if counts {
      require(cause == .timedOut || cast.response.heeds, "a cancellation is ignored")
      require(!cameAfterAnswer, "an interruption after the answer does not count")
      require(facts.accepted == nil, "one interruption")
      facts.accepted = cause
      return takeSleeper()
    }
    let mayBeRefused =
      cause == .cancelled && !cast.response.heeds || facts.accepted != nil
      || facts.drop != .isToCome || facts.calls.contains { $0 != .isToCome }
    require(mayBeRefused, "an interruption that comes first counts")
    return false
  }

  // MARK: Guarantees

  /// What the contract says of a wait that was interrupted before the SDK's answer.
  private func checkResponse(_ outcome: Outcome) {
    guard let cause = facts.accepted else { return }
    let isInterrupted = outcome == .interrupted(cause)
    require(isInterrupted == (cast.response != .deliverResult), "the response decides its end")
    require(cast.response.endsAtOnce || facts.isAnswered, "it waits for the SDK")
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
    /// The call that decided how the wait ended.
    var deciding: [Int] = []
    var delivered: [Int] = []
    switch outcome {
    case .value(let call):
      (deciding, delivered) = ([call], [call])
      require(
        facts.accepted == nil || cast.response == .deliverResult,
        "after an interruption, a value is delivered only if that is asked for"
      )
    case .error(let call):
      deciding = [call]
    case .dropped:
      require(made.isEmpty, "a completion that was called was not dropped")
    case .interrupted(let cause):
      require(
        facts.accepted == cause
          || cast.checks && cause == .cancelled && isCancelled && cast.response.heeds,
        "an interruption has a cause"
      )
    case .thrown:
      require(facts.accepted == nil && facts.forwarded == 0, "after a throw nothing is forwarded")
    case nil:
      require(
        made.isEmpty && facts.sdkHolds && (facts.accepted == nil || !cast.response.endsAtOnce),
        "the wait ends, unless the SDK keeps the completion forever and nothing interrupts"
      )
    }
    require(
      cast.response == .deliverResult || facts.lateCalls.isDisjoint(with: deciding),
      "what comes after an interruption is not delivered"
    )
    let produced = made.filter { cast.calls[$0] == .success }
    require(
      produced == (delivered + facts.discarded).sorted(),
      "delivered + discarded = produced, each once"
    )
    require((facts.forwarded == 1) == (facts.accepted != nil), "what interrupts is forwarded")
    // The check after, or an error from `operation`, may still discard a value that came first.
    let mayBeDiscarded = deciding.isEmpty && (cast.checks || outcome == .thrown)
    require(
      mayBeDiscarded || facts.decided == deciding,
      "a resumption is told whether it decides"
    )
  }
}

extension ReplyMachine<Int> {
  /// Tells the states apart.
  fileprivate var key: Int {
    switch self {
    case .expected: -1
    case .awaited: -2
    case .unwanted: -3
    case .called: -4
    case .answered(let call): call
    }
  }
}

@Suite("Every order of events: a bridged call", .watchdog, .ownThread)
struct BridgeExplorationTests {
  /// What the SDK may do with the completion: never call it, or up to three times.
  private static let calls: [[BridgeRun.CallResult]] = [
    [], [.success], [.failure], [.success, .success], [.success, .failure],
    [.failure, .success], [.success, .success, .success],
  ]

  @Test func `every order of calls, a release, a cancellation and a timeout keeps the contract`() {
    var exploration = Exploration()
    for checks in [true, false] {
      for response in CancellationResponse.allCases {
        for calls in Self.calls.prefix(isDebug ? 2 : 7) {
          for parties in 0..<8 {
            let cast = BridgeRun.Cast(
              checks: checks,
              response: response,
              calls: calls,
              isReleased: parties & 1 != 0,
              isCancelled: parties & 2 != 0,
              timesOut: parties & 4 != 0
            )
            exploration.explore(BridgeRun(cast))
          }
        }
      }
    }
    print("a bridged call: \(exploration)")
    #expect(exploration.situations >= (isDebug ? 49_312 : 2_907_146))
  }
}
