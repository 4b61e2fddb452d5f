import CancellationInternals
import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import TaskBags
import Testing

private let many = 2_000
/// A binary search for each of them, and its share of the moves.
private let most = 20 * many
/// First first, last first, and at random.
private let orders: [[Int]] = {
  var random = SeededGenerator(seed: 1)
  return [Array(0..<many), (0..<many).reversed(), (0..<many).shuffled(using: &random)]
}()

/// Counts steps, because times differ from run to run.
@Suite("Costs that do not grow with what waits", .watchdog) struct StepTests {
  private let replies = (0..<many).map { _ in Reply<PendingAnswer<Int>>(CallSite(), nil) }

  @Test(arguments: orders.indices)
  func `a reader leaves a shared sequence in few steps`(order: Int) {
    var machine = HubMachine<Int, Int, Int, Int>(.unbounded, replays: false)
    let numbers = (0..<many).map { machine.join($0) }
    for reader in orders[order] { #expect(machine.leave(numbers[reader]).reader == reader) }
    #expect(machine.readers.steps <= most && machine.readers.slots.capacity == 0)
  }

  @Test func `a queue finds its last element in few steps, and keeps no slots of those that left`()
  {
    var queue = NumberedQueue<Int>()
    for number in 0..<many { queue.append(number, number) }
    // Too few to move the others.
    for number in (many / 2 + 1)..<many { #expect(queue.remove(number) == number) }
    var areFound = true
    for _ in 0..<many { areFound = areFound && queue.last() == many / 2 }
    #expect(areFound && queue.steps <= most)
    for number in 1...many / 2 { #expect(queue.remove(number) == number) }
    for number in many..<2 * many {
      queue.append(number, number)
      #expect(queue.remove(number) == number)
    }
    #expect(queue.first() == 0 && queue.slots.count <= 2)
  }

  @Test(arguments: orders.indices)
  func `a call that shares its id begins, forwards, stops and is answered in few steps`(order: Int)
  {
    var machine = TurnMachine<Int>(after: 0)
    #expect(machine.ask() != nil)
    let turns = replies.map { _ in Turn(CallSite(), nil) }
    let tickets = turns.map { machine.queue($0) }
    let leaving = orders[order].prefix(many / 2)
    for call in leaving { #expect(machine.leaveQueue(tickets[call]) == turns[call]) }
    var effects = Effects<Int>()
    while machine.queue.count > 0 { machine.decline(&effects) }
    machine.decline(&effects)
    #expect(machine.count == 0 && machine.queue.steps <= most)
    let numbers = replies.map { machine.begin($0, ticket: nil, mayWithhold: false) }
    for call in orders[order] {
      let stays = machine.forwarded(numbers[call], &effects)
      #expect(stays)
    }
    for call in orders[order].prefix(many / 2) {
      var nothing: PendingAnswer<Int>?
      machine.stop(numbers[call], &nothing, &effects)
      #expect(effects.reply == replies[call])
    }
    for call in orders[order].dropFirst(many / 2).sorted() {
      var answer: PendingAnswer<Int>? = .success(Sent(call))
      let hasCall = machine.answer(&answer, &effects)
      #expect(hasCall && effects.reply == replies[call])
    }
    #expect(machine.count == 0 && machine.calls.steps <= 2 * most)
  }

  @Test func `neither a count nor an end of all searches the ids that calls share`() {
    var registry = PendingCallsMachine<CountedID, Int>()
    for (number, reply) in replies.enumerated() {
      var outcome = PendingCallsMachine<CountedID, Int>.Outcome()
      registry.inLine(CountedID(number: number), &outcome) { line, _ in
        line.begin(reply, ticket: nil, mayWithhold: false)
      }
    }
    #expect(registry.count == many)
    let looks = CountedID.looks.withLock { $0 }
    var ended = PendingCallsMachine<CountedID, Int>.Ended()
    registry.endAll(CancellationError(), closes: false, &ended)
    #expect(CountedID.looks.withLock { $0 } == looks && registry.lines.isEmpty)
    registry.lines = ended.lines
    #expect(registry.count == 0, "it is kept, and not made of the lines")
  }

  /// A bag's tasks with one id, which do not end when they are cancelled.
  private struct Crowd {
    enum Kind: CaseIterable {
      case replacedAtOnce, runningAlongside, cancelled
    }

    var tasks = BagMembersMachine<Int>()
    let id = BagID("search")
    var slots: [Int] = []

    var steps: Int { tasks.steps(of: id) }

    init(_ kind: Kind) {
      for _ in 0..<many { add(kind == .replacedAtOnce ? .replaceAtOnce : .runAlongside) }
      if kind == .cancelled {
        let cancelled = tasks.cancel(id)
        #expect(cancelled?.members.count == many)
      }
    }

    /// Returns whether the task was added.
    @discardableResult
    mutating func add(_ policy: TaskBag.TakenIDPolicy) -> Bool {
      guard let slot = tasks.reserve(id, ifTaken: policy)?.slot else { return false }
      let isCancelled = tasks.start(slot, .given(Task {}.erased()))
      #expect(!isCancelled)
      slots.append(slot)
      return true
    }

    mutating func finish(_ number: Int) -> [Int] { tasks.finish(slots[number]).waiters }
  }

  @Test(arguments: Crowd.Kind.allCases, orders.indices)
  private func
    `a task is added with an id, or refused, in few steps beside many that have not ended`(
      kind: Crowd.Kind,
      order: Int
    )
  {
    var crowd = Crowd(kind)
    #expect(crowd.steps <= most)
    for policy in [TaskBag.TakenIDPolicy.keep, .replace, .replaceAtOnce, .runAlongside, .replace] {
      let before = crowd.steps
      let wasAdded = crowd.add(policy)
      #expect(wasAdded == (policy != .keep || kind == .cancelled))
      #expect(crowd.steps - before <= 40)
    }
    let last = crowd.slots.count - 1
    let begins = crowd.tasks.waitToBegin(crowd.slots[last], 7)
    #expect(!begins)
    let before = crowd.steps
    for number in orders[order] {
      let waiters = crowd.finish(number)
      #expect(waiters.isEmpty)
    }
    #expect((many..<last).flatMap { crowd.finish($0) } == [7])
    #expect(crowd.steps - before <= 2 * most)
  }

  @Test func `a task that replaces others looks at two of them, however many were replaced`() {
    var tasks = BagMembersMachine<Int>()
    let id = BagID("search")
    let first = tasks.reserve(id, ifTaken: .replace)
    _ = first.map { tasks.start($0.slot, .given(Task {}.erased())) }
    for _ in 0..<1000 {
      #expect(tasks.reserve(id, ifTaken: .replace) != nil)
      #expect(tasks.holders(of: id).count == 2)
    }
  }
}

private struct CountedID: Hashable, Sendable {
  static let looks = Protected(0)

  let number: Int

  func hash(into hasher: inout Hasher) {
    CountedID.looks.withLock { $0 += 1 }
    hasher.combine(number)
  }
}
