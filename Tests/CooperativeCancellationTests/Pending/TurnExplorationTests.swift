import CooperativeCancellation
import PendingAnswers
import Testing

/// Some calls with one id, which want their turn or join the line, with their waits, answers, cancellations, late answers
/// that are given up, and an end of all. Whatever takes a lock once is one step, so that the search sees each order that
/// threads can produce.
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
  /// Those of the calls, and then those of their places in the queue.
  let waits: [Wait]
  var machines: [WaitMachine]
  var registry = PendingCallsMachine<Int>()
  /// What the line knows each call by.
  var numbers: [Int]
  var situation: Situation
  var history: [Step] = []

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
    waits = (0..<2 * count).map { Wait(response: $0 < count ? response : inQueue) }
    machines = waits.map(\.machine)
    numbers = calls.map { _ in 0 }
  }

  private var calls: [Call] {
    get { situation.calls }
    _modify { yield &situation.calls }
  }

  private func turn(_ call: Int) -> Wait { waits[calls.count + call] }

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
          $0.calls[number].gaveUp = $0.turn(number).machine.interrupt($0.response.interruption)
        }
      case .queued(let ticket):
        step("leaves the queue", number) {
          $0.calls[number].state = .over
          let left = $0.inLine { $0.leaveQueue(ticket) }
          $0.require((left == nil) == call.isPassedOver, "a call leaves the queue once")
        }
      case .granted(let ticket):
        step("begins", number) { $0.begin(number, ticket) }
        step("declines", number) {
          $0.calls[number].state = .over
          $0.pass($0.inLine { $0.decline() })
        }
      case .called:
        if !machines[number].hasNoEvent {
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
    let ticket = inLine { $0.ask() }
    require((ticket != nil) == isFree, "one has the turn at a time")
    calls[number].state = ticket.map { .granted($0) } ?? (cast.mayWait ? .queues : .over)
  }

  private mutating func queue(_ number: Int) {
    let isFree = holders.isEmpty
    let wait = turn(number)
    let ticket = inLine { $0.queue(wait) } ?? 0
    require(isFree == !wait.machine.hasNoEvent, "it waits for another call")
    calls[number].state = isFree ? .granted(ticket) : .queued(ticket)
  }

  private mutating func begin(_ number: Int, _ ticket: Int?) {
    let wait = waits[number]
    numbers[number] = inLine { $0.begin(wait, ticket: ticket, onDiscard: nil) } ?? 0
    calls[number].place = calls.count { $0.place != nil }
    calls[number].state = .called
  }

  /// Its operation throws, or its late answer is not expected anymore.
  private mutating func stop(_ number: Int) {
    let call = calls[number]
    calls[number].hasThrown = true
    let stopped = inLine { [numbers] in $0.stop(numbers[number], .stopped) }
    require((stopped != nil) == (call.isHolder && !call.isAnswered), "a call is stopped once")
    if !call.isInterrupted { calls[number].state = .over }
    guard let stopped else { return }
    require(stopped.counts != (call.isInterrupted && response.endsAtOnce), "it ends a call")
    calls[number].isStopped = true
    pass(stopped)
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
    let left = inLine { [numbers] in $0.leave(numbers[number]) }
    require((left != nil) == call.isHolder, "a call keeps its place until it has forwarded")
    require(left?.call?.isAnswered ?? false == (call.isHolder && call.isAnswered), "and its answer")
    if let left { pass(left) }
  }

  /// Also if it withholds the value: then its `onCancel` has returned.
  private mutating func hasRead(_ number: Int) {
    calls[number].mayWithhold = false
    calls[number].state = .over
    let left = inLine { [numbers] in $0.leave(numbers[number]) }
    require(left?.call?.isAnswered == true, "a call keeps its place until its value is read")
    pass(left)
  }

  private mutating func answer() {
    situation.answers += 1
    let answer = carrier(ofShared: situation.answers)
    let waiting = unanswered.first
    let answered = inLine { $0.answer(answer, isValue: true) }
    require((answered == nil) == (waiting == nil), "an answer goes to the first without one")
    guard let answered, let waiting else { return }
    require(answered.call?.wait.id == waits[waiting].id, "it is the call's own wait")
    let isAbandoned = calls[waiting].isInterrupted && response.endsAtOnce
    require(answered.counts == !isAbandoned, "an abandoned call takes no answer")
    calls[waiting].isAnswered = true
    calls[waiting].mayWithhold = !calls[waiting].isInterrupted && !response.delivers
    pass(answered)
  }

  private mutating func end() {
    situation.hasEnded = true
    let unanswered = unanswered
    let queued = inQueue
    let end = carrier(ofShared: 0)
    let ended = registry.endLines(end, waiting: end).ended
    let taking = unanswered.map { !(calls[$0].isInterrupted && response.endsAtOnce) }
    let waiting = queued.filter { !calls[$0].gaveUp }
    require(
      ended.compactMap(\.call?.wait.id) == unanswered.map { waits[$0].id }
        && ended.filter { $0.call != nil }.map(\.counts) == taking
        && ended.compactMap(\.next?.id) == waiting.map { turn($0).id },
      "the calls without an answer and those in the queue are ended, in order"
    )
    for call in unanswered { calls[call].isAnswered = true }
    for call in queued {
      if calls[call].gaveUp { calls[call].isPassedOver = true } else { calls[call].state = .over }
    }
  }

  private mutating func inLine<Result>(_ body: (inout TurnMachine) -> Result?) -> Result? {
    let (result, id) = registry.inLine(1, body)
    require(id == nil || registry.lines.isEmpty, "a line that is over is removed")
    return result
  }

  /// A call has left the line, perhaps the last one.
  private mutating func pass(_ effects: TurnMachine.Effects?) {
    let next = effects?.next.flatMap { next in calls.indices.first { turn($0).id == next.id } }
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
