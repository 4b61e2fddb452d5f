import CooperativeCancellation
import Testing

/// Some calls that want the one turn, with their waits, answers, cancellations and a close. Whatever takes a lock once
/// is one step, so that the search sees each order that threads can produce.
private struct TurnsRun: Explorable {
  struct Call: Hashable {
    enum State: Hashable {
      case asks
      case queued(Int)
      /// Its turn has come, and its SDK has not been called.
      case granted
      case called
      /// Its `onCancel` runs.
      case forwards
      case over
    }

    var state = State.asks
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
    case call(Int, Call), leaves(Int), declines(Int), cancel(Int), answer, fails(Int), close
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
  var machine = TurnMachine()
  var waitMachines: [WaitMachine]
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
    waitMachines = calls.map { _ in WaitMachine(response: response) }
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
      case .queued(let place):
        step(.leaves(number)) { run in
          run.calls[number].state = .over
          run.release(run.machine.leave(place))
        }
      case .granted:
        step(.call(number, call)) { $0.begin(number) }
        step(.declines(number)) { run in
          run.calls[number].state = .over
          run.pass(run.machine.decline(), from: nil)
        }
      case .called:
        if !waitMachines[number].hasNoEvent {
          step(.call(number, call)) { $0.readEvent(number) }
        }
        if !call.isInterrupted {
          step(.fails(number)) { $0.fail(number) }
          if waitMachines[number].hasNoEvent {
            step(.cancel(number)) {
              $0.calls[number].isInterrupted = $0.waitMachines[number].interrupt(.cancelled)
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
    switch machine.ask(mayWait ? waits[number] : nil) {
    case .granted:
      require(!isClosed && holder == nil, "one has the turn at a time")
      calls[number].state = .granted
    case .queued(let place):
      require(!isClosed && mayWait && holder != nil, "who waits, waits for another")
      calls[number].state = .queued(place)
    case .busy:
      require(!isClosed && !mayWait && holder != nil, "who is refused would have to wait")
      calls[number].state = .over
    case .closed:
      require(isClosed, "no call is turned away before the close")
      calls[number].state = .over
    }
  }

  private mutating func begin(_ number: Int) {
    switch machine.begin(waits[number], onDiscard: nil) {
    case .call(let place):
      require(!isClosed, "no SDK is called after the close")
      calls[number].state = .called
      calls[number].place = place
    case .closed:
      require(isClosed, "no call is turned away before the close")
      calls[number].state = .over
    }
  }

  private mutating func fail(_ number: Int) {
    let wasHolder = calls[number].isHolder
    calls[number].hasFailed = true
    calls[number].state = .over
    let passed = calls[number].place.flatMap { machine.fail($0) }
    if wasHolder {
      pass(passed, from: number)
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
    let passed = calls[number].place.flatMap { machine.forwarded($0) }
    if calls[number].isAnswered, !calls[number].isClosed {
      pass(passed, from: number)
    } else {
      require(passed == nil, "a call keeps its turn until its answer")
    }
  }

  private mutating func answer() {
    answers += 1
    let pending = calls.indices.first { calls[$0].isHolder && calls[$0].place != nil }
    let waiting = pending.flatMap { calls[$0].isAnswered ? nil : $0 }
    var run = self
    let taken = machine.take(carrier(of: answers)) { wait, word in
      run.hear(waits.firstIndex { $0.id == wait.id } ?? -1, word)
    }
    (waitMachines, calls) = (run.waitMachines, run.calls)
    require((taken == nil) == (waiting == nil), "an answer goes to the call that is pending")
    guard let taken, let waiting else { return }
    require(taken.call.wait.id == waits[waiting].id, "it is the call's own wait")
    let isAbandoned = calls[waiting].isInterrupted && response == .abandonCallback
    require(taken.counts == !isAbandoned, "an abandoned call takes no answer")
    calls[waiting].isAnswered = true
    if calls[waiting].isInterrupted, !calls[waiting].hasForwarded {
      require(taken.passed == nil, "a call keeps its turn until it has forwarded")
    } else {
      pass(taken.passed, from: waiting)
    }
  }

  private mutating func close() {
    let holder = holder.flatMap { calls[$0].isAnswered ? nil : $0 }
    let pending = holder.flatMap { calls[$0].place == nil ? nil : $0 }
    let queued = inQueue
    let (call, waiters) = machine.close(CancellationError())
    isClosed = true
    require(call?.wait.id == pending.map { waits[$0].id }, "the call that is pending is ended")
    if let holder { calls[holder].isClosed = true }
    if let call {
      _ = hear(waits.firstIndex { $0.id == call.wait.id } ?? -1, .answered(in: carrier(of: 0)))
    }
    let ended = waiters.compactMap { waiter in waits.firstIndex { $0.id == waiter.wait.id } }
    let waiting = ended.filter { queued.contains($0) }
    require(waiting == queued, "all in the queue are ended, in order: \(ended), not \(queued)")
    for call in queued { calls[call].state = .over }
  }

  private mutating func hear(_ call: Int, _ word: WaitMachine.LastWord) -> WaitMachine.Heard {
    let heard = waitMachines[call].hear(word)
    if heard != .refused { calls[call].words += 1 }
    require(calls[call].words <= 1, "no answer is replaced")
    return heard
  }

  /// The turn of a call is over.
  private mutating func pass(_ passed: TurnMachine.Passed?, from call: Int?) {
    guard let passed else { return require(isClosed, "a turn is not lost") }
    let next = passed.next.flatMap { next in waits.firstIndex { $0.id == next.wait.id } }
    require(next == inQueue.first, "the first in the queue is next")
    if let next { calls[next].state = .granted }
  }

  private func release(_ waiters: [TurnMachine.Waiter]) {
    for waiter in waiters {
      let call = waits.firstIndex { $0.id == waiter.wait.id }
      require(call.map { calls[$0].state } == .over, "no call that waits goes out of the queue")
    }
  }

  // MARK: What is so, whatever the machine says

  private var holder: Int? {
    calls.indices.first { calls[$0].isHolder }
  }

  /// Those who wait for their turn, in the order in which they came.
  private var inQueue: [Int] {
    calls.indices
      .compactMap { call in
        if case .queued(let place) = calls[call].state { (call, place) } else { nil }
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
    var exploration = Exploration()
    for mayWait in [false, true] {
      for mayClose in [false, true] {
        exploration.explore(TurnsRun(calls: 3, response, mayWait: mayWait, mayClose: mayClose))
      }
    }
    print("one call at a time, \(response): \(exploration)")
    #expect(exploration.situations > 1_000)
  }
}
