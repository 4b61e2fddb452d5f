import CancellationInternals
import CooperativeCancellation
import PendingAnswers
import Testing

/// Some calls with one id, which want their turn or join the line, with their waits, answers,
/// cancellations, late answers that are given up, and an end of all. Whatever takes a lock once is
/// one step, so that the search sees each order that threads can produce.
private struct TurnsRun: Explorable {
  struct Call: Hashable {
    enum State: Hashable {
      case asks
      /// Another one has the turn, and it will wait.
      case queues
      case queued(Int)
      /// Its turn has come, and its SDK has not been called.
      case granted(Int)
      case called
      /// Its `onCancel` runs.
      case forwards
      /// Its task has a value that it can still withhold.
      case reads
      case over
    }

    var state = State.asks
    /// Its task was cancelled while it was in the queue.
    var gaveUp = false
    /// It is in the queue no more, and has not noticed.
    var isPassedOver = false
    /// How many were called before it, since its SDK was called.
    var place: Int?
    var isInterrupted = false
    var hasForwarded = false
    var isAnswered = false
    var hasThrown = false
    /// It left because its operation threw, or because its late answer is not expected anymore.
    var isStopped = false
    /// It has a value that its task can still withhold.
    var mayWithhold = false

    /// Whether it has the turn, or a place in the line.
    var isHolder: Bool {
      guard place != nil else {
        return if case .granted = state { true } else { false }
      }
      if isStopped { return false }
      return !isAnswered || mayWithhold || isInterrupted && !hasForwarded
    }
  }

  struct Situation: Hashable {
    var calls: [Call]
    var hasEnded = false
    var answers = 0
  }

  let response: CancellationResponse
  let cast: Cast
  /// What the calls wait for, and where.
  let replies: [Reply<PendingAnswer<Int>>]
  let waits: [Wait]
  /// The same for their places in the queue.
  let turns: [Turn]
  let waitsInQueue: [Wait]
  /// The states of all these objects.
  var states: States
  var registry = PendingCallsMachine<Int, Int>()
  /// What the line knows each call by.
  var numbers: [Int]
  var situation: Situation
  var history: [Step] = []

  struct States {
    var replies: [ReplyMachine<PendingAnswer<Int>>]
    var waits: [WaitMachine]
    var turns: [ReplyMachine<PendingAnswer<Int>>]
    var waitsInQueue: [WaitMachine]
  }

  struct Cast {
    /// These do not ask for their turn.
    var joining: Set<Int> = []
    /// A call is refused instead.
    var mayWait = true
    /// All calls may be ended, and others begin then.
    var mayEnd = false
    /// A late answer may be given up.
    var isLimited = false
  }

  init(calls count: Int, _ response: CancellationResponse, _ cast: Cast) {
    self.response = response
    self.cast = cast
    let calls = Array(repeating: Call(), count: count)
    situation = Situation(calls: calls)
    let inQueue = response.endsAtOnce ? response : .abandonCallback
    replies = calls.map { _ in Reply(CallSite(), nil) }
    turns = calls.map { _ in Turn(CallSite(), nil) }
    waits = calls.map { _ in Wait(response: response) }
    waitsInQueue = calls.map { _ in Wait(response: inQueue) }
    // Each task has called the SDK, or asked for its turn, and begun to wait.
    for (reply, wait) in zip(replies + turns, waits + waitsInQueue) {
      _ = reply.takeOrAwait(by: wait)
    }
    states = States(
      replies: replies.map(\.machine),
      waits: waits.map(\.machine),
      turns: turns.map(\.machine),
      waitsInQueue: waitsInQueue.map(\.machine)
    )
    numbers = calls.map { _ in 0 }
  }

  func restore() {
    for call in calls.indices {
      replies[call].machine = states.replies[call]
      waits[call].machine = states.waits[call]
      turns[call].machine = states.turns[call]
      waitsInQueue[call].machine = states.waitsInQueue[call]
    }
  }

  mutating func save() {
    for call in calls.indices {
      states.replies[call] = replies[call].machine
      states.waits[call] = waits[call].machine
      states.turns[call] = turns[call].machine
      states.waitsInQueue[call] = waitsInQueue[call].machine
    }
  }

  private var calls: [Call] {
    get { situation.calls }
    _modify { yield &situation.calls }
  }

  private func isLikePrevious(_ call: Int) -> Bool {
    cast.joining.contains(call) == cast.joining.contains(call - 1)
  }

  func moves(_ step: inout Steps<TurnsRun>) {
    for (number, call) in calls.enumerated() {
      switch call.state {
      case .asks where number > 0 && calls[number - 1].state == .asks && isLikePrevious(number):
        break  // Which of two equal calls begins makes no difference.
      case .asks where cast.joining.contains(number):
        step("begins", number) { $0.begin(number, nil) }
      case .asks: step("asks", number) { $0.ask(number) }
      case .queues: step("queues", number) { $0.queue(number) }
      case .queued where !call.gaveUp:
        step("gives up", number) {
          $0.calls[number].gaveUp = $0.waitsInQueue[number].machine.interrupt(
            $0.response.interruption
          )
        }
      case .queued(let ticket):
        step("leaves the queue", number) {
          $0.calls[number].state = .over
          let left = $0.inLine { line, _ in line.leaveQueue(ticket) }
          $0.require((left == nil) == call.isPassedOver, "a call leaves the queue once")
        }
      case .granted(let ticket):
        step("begins", number) { $0.begin(number, ticket) }
        step("declines", number) {
          $0.calls[number].state = .over
          var effects = Effects<Int>()
          $0.inLine(&effects) { $0.decline(&$1) }
          $0.pass(effects)
        }
      case .called:
        if !states.waits[number].hasNoEvent {
          step("reads", number) { $0.readEvent(number) }
        } else if !call.isInterrupted {
          step("is interrupted", number) {
            let cause = $0.response.interruption
            $0.calls[number].isInterrupted = $0.waits[number].machine.interrupt(cause)
          }
        }
        // An asynchronous operation may also throw after an interruption.
        if !call.hasForwarded, !call.hasThrown { step("stops", number) { $0.stop(number) } }
      case .forwards: step("has forwarded", number) { $0.forwarded(number) }
      case .reads: step("has read", number) { $0.hasRead(number) }
      case .over: break
      }
      if cast.isLimited, call.hasForwarded, call.isHolder {
        step("stops", number) { $0.stop(number) }
      }
    }
    if situation.answers < calls.count { step("answer") { $0.answer() } }
    if cast.mayEnd, !situation.hasEnded { step("end") { $0.end() } }
  }

  private mutating func ask(_ number: Int) {
    let isFree = holders.isEmpty
    let ticket = inLine { line, _ in line.ask() }
    require((ticket != nil) == isFree, "one has the turn at a time")
    calls[number].state = ticket.map { .granted($0) } ?? (cast.mayWait ? .queues : .over)
  }

  private mutating func queue(_ number: Int) {
    let isFree = holders.isEmpty
    let ticket = inLine { [turns] line, _ in line.queue(turns[number]) }
    require(isFree == !waitsInQueue[number].machine.hasNoEvent, "it waits for another call")
    calls[number].state = isFree ? .granted(ticket) : .queued(ticket)
  }

  private mutating func begin(_ number: Int, _ ticket: Int?) {
    let reply = replies[number]
    // Calls that do not take turns have nothing to keep for each other.
    let mayWithhold = response.checksAfter
    numbers[number] = inLine { line, _ in
      line.begin(reply, ticket: ticket, mayWithhold: mayWithhold)
    }
    calls[number].place = calls.count { $0.place != nil }
    calls[number].state = .called
  }

  /// Its operation throws, or its late answer is not expected anymore.
  private mutating func stop(_ number: Int) {
    let call = calls[number]
    calls[number].hasThrown = true
    var effects = Effects<Int>()
    let stopped = inLine(&effects) { [numbers] in
      var nothing: PendingAnswer<Int>?
      return $0.stop(numbers[number], &nothing, &$1)
    }
    require(stopped == (call.isHolder && !call.isAnswered), "a call is stopped once")
    if !call.isInterrupted { calls[number].state = .over }
    guard stopped else { return }
    require(effects.answerIsTaken != (call.isInterrupted && response.endsAtOnce), "it ends a call")
    calls[number].isStopped = true
    pass(effects)
  }

  private mutating func readEvent(_ number: Int) {
    let call = calls[number]
    switch waits[number].machine.next() {
    case .interrupted: calls[number].state = .forwards
    case .ended:
      require(call.isAnswered || call.isStopped || call.isInterrupted, "it has been ended")
      calls[number].state = call.mayWithhold ? .reads : .over
    case nil: require(false, "there is an event")
    }
  }

  private mutating func forwarded(_ number: Int) {
    let call = calls[number]
    calls[number].hasForwarded = true
    calls[number].state = .called
    var effects = Effects<Int>()
    let stays = inLine(&effects) { [numbers] in $0.forwarded(numbers[number], &$1) }
    let leaves = call.isHolder && call.isAnswered
    require((effects.reply != nil) == leaves, "a call keeps its place until it has forwarded")
    require(stays == (call.isHolder && !call.isAnswered), "and until it has its answer")
    if leaves { pass(effects) }
  }

  /// Also if it withholds the value: then its `onCancel` has returned.
  private mutating func hasRead(_ number: Int) {
    calls[number].mayWithhold = false
    calls[number].state = .over
    var effects = Effects<Int>()
    let leaves = inLine(&effects) { [numbers] in $0.leaveAnswered(numbers[number], &$1) }
    require(
      leaves && effects.reply == replies[number],
      "a call keeps its place until its value is read"
    )
    pass(effects)
  }

  private mutating func answer() {
    situation.answers += 1
    var answer: PendingAnswer<Int>? = .success(Sent(situation.answers))
    let waiting = unanswered.first
    var answered = Effects<Int>()
    let hasCall = inLine(&answered) { $0.answer(&answer, &$1) }
    require(hasCall == (waiting != nil), "an answer goes to the first without one")
    guard hasCall, let waiting else { return }
    require(answered.reply == replies[waiting], "it is the call's own reply")
    let isAbandoned = calls[waiting].isInterrupted && response.endsAtOnce
    require(answered.answerIsTaken == !isAbandoned, "an abandoned call takes no answer")
    require((answer == nil) == answered.answerIsTaken, "what no call takes is discarded")
    calls[waiting].isAnswered = true
    calls[waiting].mayWithhold = !calls[waiting].isInterrupted && !response.delivers
    pass(answered)
  }

  private mutating func end() {
    situation.hasEnded = true
    let unanswered = unanswered
    let queued = inQueue
    var all = PendingCallsMachine<Int, Int>.Ended()
    registry.endAll(CancellationError(), closes: false, &all)
    let ended = all.effects
    let taking = unanswered.map { !(calls[$0].isInterrupted && response.endsAtOnce) }
    let waiting = queued.filter { !calls[$0].gaveUp }
    require(
      ended.compactMap(\.reply) == unanswered.map { replies[$0] }
        && ended.filter { $0.reply != nil }.map(\.answerIsTaken) == taking
        && ended.compactMap(\.next?.id) == waiting.map { waitsInQueue[$0].id },
      "the calls without an answer and those in the queue are ended, in order"
    )
    for call in unanswered { calls[call].isAnswered = true }
    for call in queued {
      if calls[call].gaveUp { calls[call].isPassedOver = true } else { calls[call].state = .over }
    }
  }

  private mutating func inLine<Result>(
    _ event: (inout TurnMachine<Int>, inout Effects<Int>) -> Result
  ) -> Result {
    var effects = Effects<Int>()
    return inLine(&effects, event)
  }

  private mutating func inLine<Result>(
    _ effects: inout Effects<Int>,
    _ event: (inout TurnMachine<Int>, inout Effects<Int>) -> Result
  ) -> Result {
    var outcome = PendingCallsMachine<Int, Int>.Outcome()
    let result = registry.inLine(1, &outcome, event)
    effects = outcome.effects
    require(outcome.id == nil || registry.lines.isEmpty, "a line that is over is removed")
    return result
  }

  private mutating func pass(_ effects: Effects<Int>) {
    let next = effects.next.flatMap { next in calls.indices.first { waitsInQueue[$0].id == next.id }
    }
    let expected = inQueue.first { !calls[$0].gaveUp }
    if !holders.isEmpty { return require(next == nil, "a turn is not given twice") }
    require(next == expected, "the first in the queue that waits is next")
    for call in inQueue.prefix(while: { $0 != expected }) { calls[call].isPassedOver = true }
    if let next, case .queued(let ticket) = calls[next].state {
      calls[next].state = .granted(ticket)
    }
  }

  // MARK: What is so, whatever the machine says

  private var holders: [Int] { calls.indices.filter { calls[$0].isHolder } }

  /// Those that were called and have no answer, in that order.
  private var unanswered: [Int] {
    holders.filter { calls[$0].place != nil && !calls[$0].isAnswered }
      .sorted { calls[$0].place ?? 0 < calls[$1].place ?? 0 }
  }

  /// Those who wait for their turn, in the order in which they came.
  private var inQueue: [Int] {
    calls.indices
      .compactMap { call in
        if case .queued(let ticket) = calls[call].state, !calls[call].isPassedOver {
          (call, ticket)
        } else {
          nil
        }
      }
      .sorted { $0.1 < $1.1 }
      .map(\.0)
  }

  func checkStep() {
    let there = inQueue.count + holders.count { !calls[$0].mayWithhold }
    require(registry.count == there, "\(registry.count) calls are counted, not \(there)")
    require(holders.count <= 1 || !cast.joining.isEmpty, "one has the turn at a time")
    require(!holders.isEmpty || inQueue.isEmpty, "no call waits for a turn that is free")
  }

  func checkEnd() {
    // A call that was abandoned keeps its place until an answer.
    require(registry.lines.isEmpty == holders.isEmpty, "nothing is left")
  }
}

@Suite("Calls with one id, in every order", .watchdog, .ownThread) struct TurnExplorationTests {
  @Test(arguments: CancellationResponse.allCases)
  func `calls, answers, failures, cancellations and an end keep the guarantees in every order`(
    response: CancellationResponse
  ) {
    var exploration = Exploration()
    for joining in [[], [0], [0, 1, 2]] as [Set<Int>] {
      for mayEnd in [false, true] {
        for (mayWait, isLimited) in [(false, false), (true, false), (true, true)] {
          let cast = TurnsRun.Cast(
            joining: joining,
            mayWait: mayWait,
            mayEnd: mayEnd,
            isLimited: isLimited
          )
          let calls = isDebug || isLimited ? 2 : 3
          exploration.explore(TurnsRun(calls: calls, response, cast))
        }
      }
    }
    print("calls with one id, \(response): \(exploration)")
    #expect(exploration.situations >= (isDebug ? 33_405 : 583_581))
  }
}
