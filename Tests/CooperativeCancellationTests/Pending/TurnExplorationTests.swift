import CooperativeCancellation
import Testing

/// Some calls that want the one turn, with their waits, answers, cancellations and a close. Whatever takes a lock once
/// is one step, so that the search sees each order that threads can produce.
private struct TurnsRun: Explorable {
  struct Call: Hashable {
    enum State: Hashable {
      case asks
      /// Another one has the turn, and it will wait.
      case queues
      case queued(Int)
      /// Its turn has come, and its SDK has not been called.
      case granted
      case called
      /// Its `onCancel` runs.
      case forwards
      case over
    }

    var state = State.asks
    /// Its task was cancelled while it was in the queue.
    var gaveUp = false
    /// It is in the queue no more, and has not noticed.
    var isPassedOver = false
    /// Its number, since the SDK was called.
    var place: Int?
    var isInterrupted = false
    var hasForwarded = false
    var isAnswered = false
    var hasFailed = false
    /// It was ended by the close.
    var isClosed = false
    /// How many words its wait has taken.
    var words = 0

    /// Whether it has the turn.
    var isHolder: Bool {
      if isClosed { return false }
      if place == nil { return state == .granted }
      return !hasFailed && !(isAnswered && (!isInterrupted || hasForwarded))
    }
  }

  enum Move {
    case call(Int, Call), givesUp(Int), declines(Int), cancel(Int), answer, fails(Int), close
  }

  struct Situation: Hashable {
    let calls: [Call]
    let isClosed: Bool
    let answers: Int
  }

  let response: CancellationResponse
  let mayWait: Bool
  let mayClose: Bool
  let waits: [Wait]
  /// Those of the calls in the queue.
  let turnWaits: [Wait]
  var machine = TurnMachine(turn: carrier(of: 0))
  var waitMachines: [WaitMachine]
  var turnMachines: [WaitMachine]
  var calls: [Call]
  var answers = 0
  var isClosed = false
  var history: [Move] = []

  init(calls count: Int, _ response: CancellationResponse, mayWait: Bool, mayClose: Bool) {
    self.response = response
    self.mayWait = mayWait
    self.mayClose = mayClose
    calls = Array(repeating: Call(), count: count)
    waits = calls.map { _ in Wait(response: response) }
    turnWaits = calls.map { _ in Wait(response: response.endsAtOnce ? response : .abandonCallback) }
    waitMachines = calls.map { _ in WaitMachine(response: response) }
    turnMachines = calls.map { _ in
      WaitMachine(response: response.endsAtOnce ? response : .abandonCallback)
    }
  }

  var situation: Situation {
    Situation(calls: calls, isClosed: isClosed, answers: answers)
  }

  func next() -> [TurnsRun] {
    var all: [TurnsRun] = []
    func step(_ move: Move, _ happen: (inout TurnsRun) -> Void) {
      var copy = self
      copy.history.append(move)
      happen(&copy)
      copy.check()
      all.append(copy)
    }
    for (number, call) in calls.enumerated() {
      switch call.state {
      case .asks:
        step(.call(number, call)) { $0.ask(number) }
      case .queues:
        step(.call(number, call)) { $0.queue(number) }
      case .queued where !call.gaveUp:
        step(.givesUp(number)) {
          $0.calls[number].gaveUp = $0.turnMachines[number].interrupt($0.response.interruption)
        }
      case .queued(let place):
        step(.call(number, call)) { run in
          run.calls[number].state = .over
          let left = run.machine.leaveQueue(place)
          run.require((left == nil) == call.isPassedOver, "a call leaves the queue once")
        }
      case .granted:
        step(.call(number, call)) { $0.begin(number) }
        step(.declines(number)) { run in
          run.calls[number].state = .over
          let isHolder = run.holder == nil && !run.isClosed
          let next = run.accepting { $0.decline(accept: $1) }
          if isHolder { run.pass(to: next) } else { run.require(next == nil, "no turn after all") }
        }
      case .called:
        if !waitMachines[number].hasNoEvent {
          step(.call(number, call)) { $0.readEvent(number) }
        }
        if !call.isInterrupted {
          step(.fails(number)) { $0.fail(number) }
          if waitMachines[number].hasNoEvent {
            step(.cancel(number)) { run in
              let cause = run.response.interruption
              run.calls[number].isInterrupted = run.waitMachines[number].interrupt(cause)
            }
          }
        }
      case .forwards:
        step(.call(number, call)) { $0.forwarded(number) }
      case .over:
        break
      }
    }
    if answers < calls.count { step(.answer) { $0.answer() } }
    if mayClose, !isClosed { step(.close) { $0.close() } }
    return all
  }

  private mutating func ask(_ number: Int) {
    guard let isGranted = try? machine.ask() else { return turnAway(number) }
    require(!isClosed && isGranted == (holder == nil), "one has the turn at a time")
    calls[number].state = isGranted ? .granted : mayWait ? .queues : .over
  }

  private mutating func queue(_ number: Int) {
    let isFree = holder == nil
    let place = accepting { [turnWaits] in try? $0.queue(turnWaits[number], accept: $1) }
    guard let place else { return turnAway(number) }
    require(!isClosed && isFree == !turnMachines[number].hasNoEvent, "it waits for another call")
    calls[number].state = isFree ? .granted : .queued(place)
  }

  private mutating func begin(_ number: Int) {
    guard let place = try? machine.begin(waits[number], onDiscard: nil) else {
      return turnAway(number)
    }
    require(!isClosed, "no SDK is called after the close")
    calls[number].state = .called
    calls[number].place = place
  }

  private mutating func turnAway(_ number: Int) {
    require(isClosed, "no call is turned away before the close")
    calls[number].state = .over
  }

  private mutating func fail(_ number: Int) {
    let wasHolder = calls[number].isHolder
    calls[number].hasFailed = true
    calls[number].state = .over
    let passed = leave(number, hasFailed: true)
    if wasHolder {
      pass(passed)
    } else {
      require(passed == nil, "a call that was answered has no turn to pass on")
    }
  }

  private mutating func readEvent(_ number: Int) {
    switch waitMachines[number].next() {
    case .interrupted: calls[number].state = .forwards
    case .ended: calls[number].state = .over
    case nil: require(false, "there is an event")
    }
  }

  private mutating func forwarded(_ number: Int) {
    calls[number].hasForwarded = true
    calls[number].state = .called
    let passed = leave(number, hasFailed: false)
    if calls[number].isAnswered, !calls[number].isClosed {
      pass(passed)
    } else {
      require(passed == nil, "a call keeps its turn until its answer")
    }
  }

  private mutating func leave(_ number: Int, hasFailed: Bool) -> TurnMachine.Passed? {
    guard let place = calls[number].place else { return nil }
    return accepting { $0.leave(place, hasFailed: hasFailed, accept: $1) }
  }

  private mutating func answer() {
    answers += 1
    let pending = calls.indices.first { calls[$0].isHolder && calls[$0].place != nil }
    let waiting = pending.flatMap { calls[$0].isAnswered ? nil : $0 }
    let answer = carrier(of: answers)
    let answered = accepting { $0.answer(answer, accept: $1) }
    require((answered == nil) == (waiting == nil), "an answer goes to the call that is pending")
    guard let answered, let waiting else { return }
    require(answered.call.wait.id == waits[waiting].id, "it is the call's own wait")
    let isAbandoned = calls[waiting].isInterrupted && response.endsAtOnce
    require(answered.counts == !isAbandoned, "an abandoned call takes no answer")
    calls[waiting].isAnswered = true
    if calls[waiting].isInterrupted, !calls[waiting].hasForwarded {
      require(answered.passed == nil, "a call keeps its turn until it has forwarded")
    } else {
      pass(answered.passed)
    }
  }

  private mutating func close() {
    let holder = holder.flatMap { calls[$0].isAnswered ? nil : $0 }
    let pending = holder.flatMap { calls[$0].place == nil ? nil : $0 }
    let queued = inQueue
    isClosed = true
    let end = carrier(of: 0)
    let (call, ended) = accepting { $0.close(CancellationError(), end, waiting: end, accept: $1) }
    require(call?.wait.id == pending.map { waits[$0].id }, "the call that is pending is ended")
    if let holder { calls[holder].isClosed = true }
    let waiting = ended.map { wait in turnWaits.firstIndex { $0.id == wait.id } ?? -1 }
    require(waiting == queued, "all in the queue are ended, in order: \(waiting), not \(queued)")
    for call in queued {
      if calls[call].gaveUp { calls[call].isPassedOver = true } else { calls[call].state = .over }
    }
  }

  /// What a wait says in the place of the one in the machine.
  private mutating func accept(_ wait: Wait, _ event: WaitMachine.FinalEvent) -> WaitMachine.Effect
  {
    if let call = turnWaits.firstIndex(where: { $0.id == wait.id }) {
      return turnMachines[call].receive(event)
    }
    guard let call = waits.firstIndex(where: { $0.id == wait.id }) else { return .refused }
    let result = waitMachines[call].receive(event)
    if result != .refused { calls[call].words += 1 }
    require(calls[call].words <= 1, "no answer is replaced")
    return result
  }

  private mutating func accepting<Result>(
    _ body: (inout TurnMachine, Wait.Accept) -> Result
  ) -> Result {
    var run = self
    let result = body(&machine) { run.accept($0, $1) }
    (waitMachines, turnMachines, calls) = (run.waitMachines, run.turnMachines, run.calls)
    return result
  }

  /// The turn of a call is over.
  private mutating func pass(_ passed: TurnMachine.Passed?) {
    require(passed != nil || isClosed, "a turn is not lost")
    if let passed { pass(to: passed.next) }
  }

  private mutating func pass(to wait: Wait?) {
    let next = wait.flatMap { next in turnWaits.firstIndex { $0.id == next.id } }
    let expected = inQueue.first { !calls[$0].gaveUp }
    require(next == expected, "the first in the queue that waits is next")
    for call in inQueue.prefix(while: { $0 != expected }) { calls[call].isPassedOver = true }
    if let next { calls[next].state = .granted }
  }

  // MARK: What is so, whatever the machine says

  private var holder: Int? {
    calls.indices.first { calls[$0].isHolder }
  }

  /// Those who wait for their turn, in the order in which they came.
  private var inQueue: [Int] {
    calls.indices
      .compactMap { call in
        if case .queued(let place) = calls[call].state, !calls[call].isPassedOver {
          (call, place)
        } else {
          nil
        }
      }
      .sorted { $0.1 < $1.1 }
      .map(\.0)
  }

  private func check() {
    let there = inQueue.count + (holder == nil ? 0 : 1)
    require(machine.count == there, "\(machine.count) calls are counted, not \(there)")
    require(calls.count { $0.isHolder } <= 1, "one has the turn at a time")
    require(holder != nil || inQueue.isEmpty, "no call waits for a turn that is free")
  }

  func checkEnd() {
    // A call that was abandoned keeps its turn until an answer.
    require(machine.count == (holder == nil ? 0 : 1), "nothing is left")
  }
}

@Suite("One call at a time, in every order", .watchdog, .ownThread)
struct TurnExplorationTests {
  @Test(arguments: CancellationResponse.allCases)
  func `calls, answers, failures, cancellations and a close keep the guarantees in every order`(
    response: CancellationResponse
  ) {
    let calls = isDebug ? 2 : 3
    var exploration = Exploration()
    for mayWait in [false, true] {
      for mayClose in [false, true] {
        exploration.explore(TurnsRun(calls: calls, response, mayWait: mayWait, mayClose: mayClose))
      }
    }
    print("one call at a time, \(response): \(exploration)")
    #expect(exploration.situations >= (isDebug ? 5_174 : 272_458))
  }
}
