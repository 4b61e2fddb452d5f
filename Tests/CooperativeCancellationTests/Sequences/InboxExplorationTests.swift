import CallbackSequences
import CooperativeCancellation
import Testing

/// One subscription with all its participants: the reader, elements on threads, the end, a
/// cancellation.
///
/// It drives the state machine through the steps of `Inbox` and `Subscription`. Each atomic
/// operation there (taking a lock, setting or removing the runtime's cancellation handler) is one
/// step here, and between any two of them any other participant may take a step.
private struct InboxRun: Explorable {
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

  /// An element, the end or the cancellation.
  enum EventStep: Hashable { case isToCome, handles, wakes(Bool, surplus: Int?), isOver }

  /// Every input of the machine: its state follows from them.
  enum Word: Hashable { case yield(Int), end, cancel, take, next, abandon }

  struct Situation: Hashable {
    var reader = ReaderStep.looks
    var yields: [EventStep]
    var end = EventStep.isToCome
    var cancel = EventStep.isToCome
    var hasSleeper = false
    var delivered: [Int] = []
    var discarded: [Int] = []
    /// Whether the reader discarded some of them.
    var hasLeftOvers = false
    var hasEndedBeforeCancel = false
    var told: [Word] = []
  }

  let cast: Cast
  var situation: Situation
  var history: [Step] = []
  private var machine: InboxMachine<Int>

  init(_ cast: Cast) {
    self.cast = cast
    machine = InboxMachine(cast.policy)
    situation = Situation(yields: Array(repeating: .isToCome, count: cast.elements))
  }

  // MARK: What may happen next

  private var isCancelled: Bool { situation.cancel != .isToCome }

  private var hasHandler: Bool {
    [.isCancelledAlready, .sleeps, .isAsleep, .removesHandler].contains(situation.reader)
  }

  func moves(_ step: inout Steps<InboxRun>) {
    switch situation.reader {
    case .isAsleep, .ended: break
    case .removesHandler where isCancelled && situation.cancel != .isOver:
      break  // The runtime removes no handler that is running.
    default: step("reader") { $0.read() }
    }
    for (number, yield) in situation.yields.enumerated() where yield != .isOver {
      step("element", number) { run in
        run.goesOn(\.yields[number]) { $0.yield(number) }
      }
    }
    if cast.ends, situation.end != .isOver {
      step("end") { run in run.goesOn(\.end) { $0.end() } }
    }
    if cast.isCancelled, situation.cancel != .isOver {
      step("cancellation") { run in
        run.goesOn(\.cancel) { $0.hasHandler ? .handles : .isOver }
      }
    }
  }

  private mutating func goesOn(
    _ event: WritableKeyPath<Situation, EventStep>,
    begin: (inout InboxRun) -> EventStep
  ) {
    switch situation[keyPath: event] {
    case .isToCome:
      situation[keyPath: event] = begin(&self)
    case .handles:
      situation.told.append(.cancel)
      situation[keyPath: event] = .wakes(machine.cancel() && takeSleeper(), surplus: nil)
    case .wakes(let wakes, let surplus):
      if wakes { wake() }
      if let surplus { situation.discarded.append(surplus) }
      situation[keyPath: event] = .isOver
    case .isOver: break
    }
  }

  private mutating func read() {
    switch situation.reader {
    case .looks: situation.reader = isCancelled ? .checks : .takes
    case .takes:
      situation.told.append(.take)
      if let element = machine.take() { deliver(element) } else { situation.reader = .checks }
    case .checks: situation.reader = isCancelled ? .cancels : .reads
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
      situation.reader = isCancelled ? .isCancelledAlready : .sleeps
    case .isCancelledAlready:
      tellOfCancel()
      situation.reader = .sleeps
    case .sleeps:
      situation.hasSleeper = machine.hasNothing
      situation.reader = machine.hasNothing ? .isAsleep : .removesHandler
    case .removesHandler:
      situation.reader = .checks
    case .leaves:
      situation.told.append(.abandon)
      discard(machine.abandon())
      situation.reader = .terminates(.left)
    case .terminates(let outcome):
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
      situation.discarded.append(element)
      situation.hasLeftOvers = true
    }
  }

  private mutating func tellOfCancel() {
    situation.told.append(.cancel)
    _ = machine.cancel()
  }

  private mutating func yield(_ number: Int) -> EventStep {
    situation.told.append(.yield(number))
    let yielded = machine.yield(number)
    return .wakes(takeSleeper(), surplus: yielded.surplus)
  }

  private mutating func end() -> EventStep {
    situation.told.append(.end)
    if machine.end(.finished), !isCancelled { situation.hasEndedBeforeCancel = true }
    return .wakes(takeSleeper(), surplus: nil)
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
    require(
      (s.delivered + s.discarded).sorted() == Array(0..<cast.elements),
      "an element was lost, or delivered or discarded twice"
    )
    let order = s.told.compactMap { if case .yield(let number) = $0 { number } else { nil } }
    require(
      s.delivered == order.filter(s.delivered.contains),
      "elements were delivered in another order than they came"
    )
    switch s.reader {
    case .ended(.finished):
      require(cast.ends, "finished without an end")
      require(!s.hasLeftOvers, "finished before all was delivered")
    case .ended(.cancelled):
      require(cast.isCancelled, "cancelled without a cancellation")
      require(
        !s.hasEndedBeforeCancel || s.hasLeftOvers,
        "the end came first, nothing was lost before it, and yet it was taken for a cancellation"
      )
    case .ended(.left): require(s.delivered.count == cast.limit, "left early")
    case .ended(.over): require(false, "an only reader was told that another had read the end")
    default:
      require(s.reader == .isAsleep && s.hasSleeper, "the reader neither sleeps nor has ended")
      require(!cast.ends && !cast.isCancelled, "the reader sleeps on after the end")
    }
  }
}

@Suite("Every order of events: a subscription", .watchdog, .ownThread)
struct InboxExplorationTests {
  private static let policies = [BufferingPolicy.newest(1), .oldest(1), .newest(2), .unbounded]

  @Test
  func `every order of elements, end, cancellation and a leaving reader keeps the contract`() {
    var exploration = Exploration()
    for policy in Self.policies.prefix(isDebug ? 1 : 4) {
      for elements in 0...2 {
        for parties in 0..<8 {
          let cast = InboxRun.Cast(
            policy: policy,
            elements: elements,
            ends: parties & 1 != 0,
            isCancelled: parties & 2 != 0,
            limit: parties & 4 != 0 ? 1 : nil
          )
          exploration.explore(InboxRun(cast))
        }
      }
    }
    print("a subscription: \(exploration)")
    #expect(exploration.situations >= (isDebug ? 142_304 : 576_800))
  }
}
