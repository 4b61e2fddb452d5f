import CancellationInternals
import CooperativeCancellation
import PendingAnswers
import Testing

/// One bridged call: the task, up to three calls of the completion, the SDK that releases it, a
/// cancellation and a timeout.
///
/// It drives the library's two state machines, each event as one step: with three answers, these
/// are far more orders than the real code can be run in. `Tests/Interleaving` does that with fewer
/// parties, and stops the code within each event.
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
    case begins, runsOperation, isAsleep, isAwake, forwards, ended(Outcome)
  }

  struct Situation: Hashable {
    var task = TaskStep.begins
    var isMade: [Bool]
    var sdkHolds = false
    var isCancelled = false
    var isTimedOut = false
    var discarded: [Int] = []
    var reports = 0
    var forwarded = 0
    /// What came before the SDK's answer.
    var accepted: Interruption?
    /// The call, or the drop, that came before an interruption.
    var isAnswered = false
    /// Which calls were told that they decide how the wait ends.
    var decided: [Int] = []
    /// Which calls came after an interruption had been accepted.
    var lateCalls: Set<Int> = []
    /// The state of the reply, and what the wait was told: its state follows from that.
    var reply = ReplyMachine<Int>.expected.key
    var told: [String] = []
  }

  let cast: Cast
  var history: [Step] = []
  private var facts: Situation
  private var reply = ReplyMachine<Int>.expected
  private var wait: WaitMachine
  private let holder = AnyReply(Locked(initially: 0))
  private static let someWait = Wait(response: .abandonCallback)

  init(_ cast: Cast) {
    self.cast = cast
    facts = Situation(isMade: cast.calls.map { _ in false })
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

  // MARK: What may happen next

  func moves(_ step: inout Steps<BridgeRun>) {
    switch facts.task {
    case .begins: step("task begins") { $0.begin() }
    case .runsOperation:
      step("operation returns") { $0.sleepOrTake() }
      step("operation throws") { $0.operationThrew() }
    case .isAsleep: break
    case .isAwake: step("task reads") { $0.read() }
    case .forwards: step("onCancel returns") { $0.facts.task = .isAwake }
    case .ended: break
    }
    // The SDK can call as long as it holds the completion.
    for number in facts.isMade.indices where facts.sdkHolds && !facts.isMade[number] {
      step("call", number) { $0.call(number) }
    }
    if cast.isReleased, facts.sdkHolds { step("SDK releases") { $0.release() } }
    if cast.isCancelled, !facts.isCancelled {
      step("cancellation") {
        $0.facts.isCancelled = true
        if $0.facts.task == .isAsleep || $0.facts.task == .isAwake { $0.interrupt(.cancelled) }
      }
    }
    if cast.timesOut, !facts.isTimedOut, [.isAsleep, .isAwake, .forwards].contains(facts.task) {
      step("timeout") {
        $0.facts.isTimedOut = true
        $0.interrupt(.timedOut)
      }
    }
  }

  // MARK: The task

  private mutating func begin() {
    if cast.checks, facts.isCancelled, cast.response.heeds { return end(.interrupted(.cancelled)) }
    facts.sdkHolds = true
    facts.task = .runsOperation
  }

  private mutating func operationThrew() {
    if let call = reply.operationThrew() { discard(call) }
    end(.thrown)
  }

  private mutating func sleepOrTake() {
    if let call = reply.takeOrAwait(by: Self.someWait) { return answered(call) }
    facts.task = .isAsleep
    // Released without a call, while `operation` ran.
    if !facts.sdkHolds { drop() }
    if facts.isCancelled { interrupt(.cancelled) }
  }

  private mutating func read() {
    facts.told.append("read")
    switch wait.next() {
    case nil: facts.task = .isAsleep
    case .interrupted:
      facts.forwarded += 1
      require(facts.forwarded == 1, "the cancellation is forwarded once")
      facts.task = .forwards
    case .ended(.dropped): end(.dropped)
    case .ended(.answered): takeAnswer().map { answered($0) }
    case .ended(.interrupted(let cause, let discarding)):
      if discarding != nil, let call = takeAnswer() { discard(call) }
      end(.interrupted(cause))
    }
  }

  private mutating func takeAnswer() -> Int? {
    let call = reply.take()
    require(call != nil, "the answer that the wait was told of is there")
    return call
  }

  private mutating func answered(_ call: Int) {
    if cast.calls[call] == .failure { return end(.error(call)) }
    guard cast.checks, !cast.response.delivers, facts.isCancelled else { return end(.value(call)) }
    discard(call)
    end(.interrupted(.cancelled))
  }

  private mutating func end(_ outcome: Outcome) {
    facts.task = .ended(outcome)
    // What the contract says of a wait that was interrupted before the SDK's answer.
    guard let cause = facts.accepted else { return }
    let isInterrupted = outcome == .interrupted(cause)
    require(isInterrupted == (cast.response != .deliverResult), "the response decides its end")
    require(cast.response.endsAtOnce || facts.isAnswered, "it waits for the SDK")
  }

  // MARK: The SDK

  private mutating func call(_ number: Int) {
    facts.isMade[number] = true
    if facts.accepted != nil { facts.lateCalls.insert(number) }
    var answer: Int? = number
    switch reply.answer(&answer) {
    case .keep:
      facts.isAnswered = true
      facts.decided.append(number)
    case .wake:
      if wait.finalEventDecides { facts.decided.append(number) }
      if receive(.answered(in: holder), "answer") { return }
      let call = reply.take()
      require(call == number, "a refused answer is still there")
      if let call { discard(call) }
    case .discard:
      discard(number)
    case .reportAndDiscard:
      facts.reports += 1
      discard(number)
    }
  }

  private mutating func release() {
    facts.sdkHolds = false
    drop()
  }

  private mutating func drop() {
    if case .awaited = reply { _ = receive(.dropped, "drop") }
  }

  private mutating func receive(_ event: WaitMachine.FinalEvent, _ name: String) -> Bool {
    facts.told.append(name)
    guard wait.receive(event) else { return false }
    facts.isAnswered = true
    wake()
    return true
  }

  private mutating func wake() {
    if facts.task == .isAsleep { facts.task = .isAwake }
  }

  private mutating func discard(_ call: Int) {
    // As `onlyValues` does: an error that loses is dropped.
    if cast.calls[call] == .success { facts.discarded.append(call) }
  }

  // MARK: Cancellation and timeout

  private mutating func interrupt(_ cause: Interruption) {
    facts.told.append("\(cause)")
    let counts = wait.interrupt(cause)
    let mayCount =
      facts.accepted == nil && !facts.isAnswered && (cause == .timedOut || cast.response.heeds)
    require(counts == mayCount, "an interruption counts if it comes first, and is not ignored")
    if !counts { return }
    facts.accepted = cause
    wake()
  }

  // MARK: Guarantees

  /// What a list of waiting calls says of a task that sleeps.
  func checkStep() {
    guard facts.task == .isAsleep else { return }
    let state: WaitingCall.State =
      switch facts.accepted {
      case nil: .waiting
      case .cancelled: .cancelled
      case .timedOut: .timedOut
      }
    require(wait.progress == state, "the call is listed as \(state), not as \(wait.progress)")
  }

  func checkEnd() {
    let made = facts.isMade.indices.filter { facts.isMade[$0] }
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
          || cast.checks && cause == .cancelled && facts.isCancelled && cast.response.heeds,
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
    case .stopped: -5
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
        for calls in Self.calls {
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
    #expect(exploration.situations >= 104_324)
  }
}
