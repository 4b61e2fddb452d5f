import CooperativeCancellation
import Testing

/// Some calls that want the one turn, answers and a close. Whatever takes its lock once is one step, so that the
/// search sees each order that threads can produce.
private struct TurnsRun: Explorable {
  enum CallState: Hashable {
    case asks
    case queued(Int)
    /// Its turn has come, and its SDK has not been called.
    case granted
    case pending(Int)
    case answered, refused, closed
    case declined, failed
    /// It was cancelled in the queue, at that place.
    case left(Int)
  }

  enum Move { case call(Int, CallState), leaves(Int), declines(Int), answer, fails(Int), close }

  struct Situation: Hashable {
    let calls: [CallState]
    let isClosed: Bool
    let answers: Int
  }

  let mayWait: Bool
  let mayClose: Bool
  let replies: [AnyReply]
  var machine = TurnMachine()
  var calls: [CallState]
  var answers = 0
  var isClosed = false
  var history: [Move] = []

  init(calls count: Int, mayWait: Bool, mayClose: Bool) {
    self.mayWait = mayWait
    self.mayClose = mayClose
    calls = Array(repeating: .asks, count: count)
    replies = calls.map { _ in Reply(ReplyContents<Int>(CallSite(), nil)).erased() }
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
      switch call {
      case .asks:
        step(.call(number, call)) { $0.ask(number) }
      case .queued(let place):
        step(.leaves(number)) { run in
          run.release(run.machine.leave(place))
          run.calls[number] = .left(place)
        }
      case .granted:
        step(.call(number, call)) { $0.begin(number) }
        step(.declines(number)) { run in
          run.calls[number] = .declined
          run.pass(run.machine.decline(), from: nil)
        }
      case .pending(let place):
        step(.fails(number)) { run in
          run.calls[number] = .failed
          let passed = run.machine.fail(place)
          run.require(passed != nil, "a call that fails had its turn")
          run.pass(passed, from: number)
        }
      default:
        break
      }
    }
    if answers < calls.count { step(.answer) { $0.answer() } }
    if mayClose, !isClosed { step(.close) { $0.close() } }
    return all
  }

  private mutating func ask(_ number: Int) {
    switch machine.ask(replies[number], mayWait: mayWait) {
    case .granted:
      require(!isClosed && holder == nil, "one has the turn at a time")
      calls[number] = .granted
    case .queued(let place):
      require(!isClosed && mayWait && holder != nil, "who waits, waits for another")
      calls[number] = .queued(place)
    case .refused:
      require(!isClosed && !mayWait && holder != nil, "who is refused would have to wait")
      calls[number] = .refused
    case .closed:
      require(isClosed, "nobody is turned away before the close")
      calls[number] = .closed
    }
  }

  private mutating func begin(_ number: Int) {
    switch machine.begin(replies[number]) {
    case .call(let place):
      require(!isClosed, "no SDK is called after the close")
      calls[number] = .pending(place)
    case .closed:
      require(isClosed, "nobody is turned away before the close")
      calls[number] = .closed
    }
  }

  private mutating func answer() {
    answers += 1
    let pending = pendingCall
    let passed = machine.take()
    require((passed == nil) == (pending == nil), "an answer goes to the call that is pending")
    guard let passed, let pending else { return }
    calls[pending] = .answered
    pass(passed, from: pending)
  }

  private mutating func close() {
    let pending = pendingCall
    let queued = inQueue
    let (call, waiters) = machine.close(CancellationError())
    isClosed = true
    require((call == nil) == (pending == nil), "the call that is pending is ended")
    if let pending {
      require(call === replies[pending], "it is the call's own reply")
      calls[pending] = .closed
    }
    let ended = waiters.compactMap { waiter in replies.firstIndex { $0 === waiter.reply } }
    let waiting = ended.filter { queued.contains($0) }
    require(waiting == queued, "all in the queue are ended, in order: \(ended), not \(queued)")
    for call in queued { calls[call] = .closed }
  }

  /// The turn of a call is over.
  private mutating func pass(_ passed: TurnMachine.Passed?, from call: Int?) {
    guard let passed else { return require(isClosed, "a turn is not lost") }
    require(!isClosed, "no turn is passed on after the close")
    require(passed.call === call.map { replies[$0] }, "it is the call's own reply")
    release(passed.gone)
    let next = passed.next.flatMap { next in replies.firstIndex { $0 === next.reply } }
    require(next == inQueue.first, "the first in the queue is next")
    if let next { calls[next] = .granted }
  }

  private func release(_ waiters: [TurnMachine.Waiter]) {
    for waiter in waiters {
      let call = replies.firstIndex { $0 === waiter.reply }
      let state = call.map { calls[$0] }
      if case .queued = state, history.last.map({ "\($0)" }) != call.map({ "leaves(\($0))" }) {
        require(false, "nobody goes out of the queue who waits")
      }
    }
  }

  // MARK: What is so, whatever the machine says

  private var holder: Int? {
    calls.indices.first { calls[$0] == .granted } ?? pendingCall
  }

  private var pendingCall: Int? {
    calls.indices.first { if case .pending = calls[$0] { true } else { false } }
  }

  /// Those who wait for their turn, in the order in which they came.
  private var inQueue: [Int] {
    calls.indices
      .compactMap { call in
        if case .queued(let place) = calls[call] { (call, place) } else { nil }
      }
      .sorted { $0.1 < $1.1 }
      .map(\.0)
  }

  private func check() {
    let there = calls.count { call in
      switch call {
      case .queued, .pending: true
      // Its turn has gone with the close; it will learn that when it calls.
      case .granted: !isClosed
      default: false
      }
    }
    require(machine.count == there, "\(machine.count) calls are counted, not \(there)")
    let holders = calls.count { call in
      switch call {
      case .granted, .pending: true
      default: false
      }
    }
    require(holders <= 1, "one has the turn at a time")
    require(isClosed || holders == 1 || inQueue.isEmpty, "nobody waits for a turn that is free")
  }

  func checkEnd() {
    require(machine.count == 0, "nothing is left")
  }
}

@Suite("One call at a time, in every order", .watchdog)
struct TurnExplorationTests {
  @Test
  func `calls, answers, failures, cancellations and a close keep the laws in every order`() {
    var exploration = Exploration()
    for mayWait in [false, true] {
      for mayClose in [false, true] {
        exploration.explore(TurnsRun(calls: 4, mayWait: mayWait, mayClose: mayClose))
      }
    }
    print("one call at a time: \(exploration)")
    #expect(exploration.situations > 1_000)
  }
}
