import CooperativeCancellation

/// One subscription with all its participants: the reader, each element on a thread of its own, the end, a
/// cancellation.
///
/// It drives the state machine through the steps of `Inbox` and `Subscription`. Each atomic operation there (taking
/// a lock, setting or removing the runtime's cancellation handler) is one step here, and between any two of them any
/// other participant may take a step.
struct InboxRun: Explorable {
  /// The participants.
  struct Cast: Hashable {
    var policy: BufferingPolicy
    var elements: Int
    var ends: Bool
    var isCancelled: Bool
    /// After how many elements the reader leaves.
    var limit: Int?
  }

  enum Outcome: Hashable { case finished, cancelled, over, left }

  enum ReaderStep: Hashable {
    case looks, takes, checks, cancels, reads
    case setsHandler, isCancelledAlready, sleeps, isAsleep, removesHandler
    case leaves, terminates(Outcome), ended(Outcome)
  }

  enum YieldStep: Hashable { case isToCome, wakes(Bool, surplus: Int?), isOver }

  enum EndStep: Hashable { case isToCome, wakes(Bool), isOver }

  enum CancelStep: Hashable { case isToCome, handles, wakes(Bool), isOver }

  /// Every input of the machine: its state follows from them.
  enum Word: Hashable { case yield(Int), end, cancel, take, next, abandon }

  struct Situation: Hashable {
    var reader = ReaderStep.looks
    var yields: [YieldStep]
    var end = EndStep.isToCome
    var cancel = CancelStep.isToCome
    var isCancelled = false
    var hasHandler = false
    var hasSleeper = false
    var delivered: [Int] = []
    var discarded: Set<Int> = []
    var discards = 0
    /// The elements that the reader discarded.
    var leftOver: Set<Int> = []
    var terminations = 0
    var hasEndedBeforeCancel = false
    var told: [Word] = []
  }

  enum Move { case reader(ReaderStep), yield(Int, YieldStep), end(EndStep), cancel(CancelStep) }

  let cast: Cast
  var situation: Situation
  var history: [Move] = []
  private var machine: InboxMachine<Int>

  init(_ cast: Cast) {
    self.cast = cast
    machine = InboxMachine(cast.policy)
    situation = Situation(yields: Array(repeating: .isToCome, count: cast.elements))
  }

  // MARK: What may happen next

  func moves(_ step: (Move, (inout InboxRun) -> Void) -> Void) {
    switch situation.reader {
    case .isAsleep, .ended: break
    case .removesHandler where situation.cancel != .isToCome && situation.cancel != .isOver:
      break  // The runtime removes no handler that is running.
    case let reader: step(.reader(reader)) { $0.read() }
    }
    for (number, yield) in situation.yields.enumerated() where yield != .isOver {
      step(.yield(number, yield)) { $0.yield(number) }
    }
    if cast.ends, situation.end != .isOver { step(.end(situation.end)) { $0.end() } }
    if cast.isCancelled, situation.cancel != .isOver {
      step(.cancel(situation.cancel)) { $0.cancel() }
    }
  }

  private mutating func read() {
    switch situation.reader {
    case .looks: situation.reader = situation.isCancelled ? .checks : .takes
    case .takes:
      situation.told.append(.take)
      if let element = machine.take() { deliver(element) } else { situation.reader = .checks }
    case .checks: situation.reader = situation.isCancelled ? .cancels : .reads
    case .cancels:
      tellOfCancel()
      situation.reader = .reads
    case .reads:
      situation.told.append(.next)
      switch machine.next() {
      case .element(let element): deliver(element)
      case .nothing: situation.reader = .setsHandler
      case .ended: situation.reader = .terminates(.finished)
      case .cancelled(let unread):
        discard(unread)
        situation.reader = .terminates(.cancelled)
      case .over: situation.reader = .terminates(.over)
      }
    case .setsHandler:
      situation.hasHandler = true
      situation.reader = situation.isCancelled ? .isCancelledAlready : .sleeps
    case .isCancelledAlready:
      tellOfCancel()
      situation.reader = .sleeps
    case .sleeps:
      situation.hasSleeper = machine.hasNothing
      situation.reader = machine.hasNothing ? .isAsleep : .removesHandler
    case .removesHandler:
      situation.hasHandler = false
      situation.reader = .checks
    case .leaves:
      situation.told.append(.abandon)
      discard(machine.abandon())
      situation.reader = .terminates(.left)
    case .terminates(let outcome):
      situation.terminations += 1
      situation.told.append(.abandon)
      discard(machine.abandon())
      situation.reader = .ended(outcome)
    case .isAsleep, .ended: break
    }
  }

  private mutating func deliver(_ element: Int) {
    situation.delivered.append(element)
    situation.reader = situation.delivered.count == cast.limit ? .leaves : .looks
  }

  private mutating func discard(_ unread: InboxMachine<Int>.Unread) {
    var elements = unread.elements
    while let element = elements.popFirst() {
      situation.discarded.insert(element)
      situation.discards += 1
      situation.leftOver.insert(element)
    }
  }

  private mutating func tellOfCancel() {
    situation.told.append(.cancel)
    _ = machine.cancel()
  }

  private mutating func yield(_ number: Int) {
    switch situation.yields[number] {
    case .isToCome:
      situation.told.append(.yield(number))
      let yielded = machine.yield(number)
      situation.yields[number] = .wakes(takeSleeper(), surplus: yielded.surplus)
    case .wakes(let wakes, let surplus):
      if wakes { wake() }
      if let surplus {
        situation.discarded.insert(surplus)
        situation.discards += 1
      }
      situation.yields[number] = .isOver
    case .isOver: break
    }
  }

  private mutating func end() {
    switch situation.end {
    case .isToCome:
      situation.told.append(.end)
      if machine.end(.finished), !situation.isCancelled { situation.hasEndedBeforeCancel = true }
      situation.end = .wakes(takeSleeper())
    case .wakes(let wakes):
      if wakes { wake() }
      situation.end = .isOver
    case .isOver: break
    }
  }

  private mutating func cancel() {
    switch situation.cancel {
    case .isToCome:
      situation.isCancelled = true
      situation.cancel = situation.hasHandler ? .handles : .isOver
    case .handles:
      situation.told.append(.cancel)
      situation.cancel = .wakes(machine.cancel() && takeSleeper())
    case .wakes(let wakes):
      if wakes { wake() }
      situation.cancel = .isOver
    case .isOver: break
    }
  }

  private mutating func takeSleeper() -> Bool {
    defer { situation.hasSleeper = false }
    return situation.hasSleeper
  }

  private mutating func wake() {
    require(situation.reader == .isAsleep, "a task is resumed that does not sleep")
    situation.reader = .removesHandler
  }

  // MARK: What must hold

  func checkEnd() {
    let s = situation
    require(s.discards == s.discarded.count, "an element was discarded twice")
    require(s.discarded.isDisjoint(with: s.delivered), "a delivered element was discarded")
    let order = s.told.compactMap { if case .yield(let number) = $0 { number } else { nil } }
    require(
      s.delivered == order.filter(s.delivered.contains),
      "elements were delivered in another order than they came"
    )
    guard case .ended(let outcome) = s.reader else {
      require(s.reader == .isAsleep && s.hasSleeper, "the reader neither sleeps nor has ended")
      require(!cast.ends && !cast.isCancelled, "the reader sleeps on after the end")
      require(
        s.delivered.count + s.discarded.count == cast.elements,
        "the reader sleeps although there is an element"
      )
      return
    }
    require(s.terminations == 1, "terminated \(s.terminations) times")
    require(s.delivered.count + s.discarded.count == cast.elements, "an element was lost")
    switch outcome {
    case .finished:
      require(cast.ends, "finished, and nobody said so")
      require(s.leftOver.isEmpty, "finished before all was delivered")
    case .cancelled:
      require(cast.isCancelled, "cancelled by nobody")
      require(
        !s.hasEndedBeforeCancel || !s.leftOver.isEmpty,
        "the end came first, nothing was lost before it, and yet it was taken for a cancellation"
      )
    case .left: require(s.delivered.count == cast.limit, "left early")
    case .over: require(false, "an only reader was told that another had read the end")
    }
  }
}
