import CancellationInternals
import CooperativeCancellation
import PendingAnswers
import Testing

/// Callers with one key, and the calls that they share, each on a thread. What takes the lock once is one step.
private struct SharedCallRun: Explorable {
  enum Caller: Hashable { case begins, waits(for: Int), isOver }

  enum Call: Hashable { case isMade, runs, hasEnded, wasLeft }

  struct Situation: Hashable {
    var callers: [Caller]
    /// By the number of the caller that makes it.
    var calls: [Int: Call] = [:]
  }

  private typealias Machine = SharedCallsMachine<CollidingID, Int>

  var situation: Situation
  var history: [Step] = []
  private var machine = Machine()
  private var tickets: [Int: Machine.Ticket] = [:]
  private static let key = CollidingID(number: 1)

  init(callers: Int) { situation = Situation(callers: Array(repeating: .begins, count: callers)) }

  private var current: Int? {
    situation.calls.first { $0.value == .isMade || $0.value == .runs }?.key
  }

  private func waiting(for call: Int) -> Set<Int> {
    Set(situation.callers.indices.filter { situation.callers[$0] == .waits(for: call) })
  }

  func moves(_ step: inout Steps<SharedCallRun>) {
    for (number, caller) in situation.callers.enumerated() {
      switch caller {
      case .begins: step("joins", number) { $0.join(number) }
      // Its own task makes the call, and cannot leave meanwhile.
      case .waits where situation.calls[number] != .isMade:
        step("leaves", number) { $0.leave(number) }
      case .waits, .isOver: break
      }
    }
    for (number, call) in situation.calls.sorted(by: { $0.key < $1.key }) {
      if call == .isMade { step("is made", number) { $0.start(number) } }
      // The task may end before the machine hears of it, and after all have left.
      if call != .hasEnded { step("ends", number) { $0.end(number) } }
    }
  }

  private mutating func join(_ number: Int) {
    let ticket = machine.join(Self.key, number, .medium)
    require(ticket.isFirst == (current == nil), "the first one makes the call")
    if ticket.isFirst { situation.calls[number] = .isMade }
    situation.callers[number] = .waits(for: current ?? number)
    tickets[number] = ticket
  }

  private mutating func start(_ number: Int) {
    guard let ticket = tickets[number] else { return }
    _ = machine.start(ticket.call, Task {})
    situation.calls[number] = .runs
  }

  private mutating func leave(_ number: Int) {
    guard let ticket = tickets[number], case .waits(let call) = situation.callers[number] else {
      return
    }
    let isLast = waiting(for: call) == [number] && current == call
    let (left, last) = machine.leave(ticket)
    require((left != nil) == (current == call), "it leaves a call that has not ended")
    require((last?.call.task != nil) == isLast, "the last one to leave cancels the task")
    situation.callers[number] = .isOver
    if isLast { situation.calls[call] = .wasLeft }
  }

  private mutating func end(_ number: Int) {
    guard let ticket = tickets[number] else { return }
    let receivers = machine.end(ticket.call).map { call, _ in
      Set(call.callers.slots.compactMap(\.element))
    }
    let expected = situation.calls[number] == .wasLeft ? nil : waiting(for: number)
    require(receivers == expected, "the answer goes to all who wait for this call")
    for receiver in receivers ?? [] { situation.callers[receiver] = .isOver }
    situation.calls[number] = .hasEnded
  }

  func checkEnd() {
    require(machine.count == 0 && situation.callers.allSatisfy { $0 == .isOver }, "nothing is left")
  }
}

@Suite("Every order of events: shared calls", .watchdog, .ownThread)
struct SharedCallExplorationTests {
  @Test func `every order of callers and their calls keeps the guarantees`() {
    var exploration = Exploration()
    exploration.explore(SharedCallRun(callers: isDebug ? 3 : 5))
    print("shared calls: \(exploration)")
    #expect(exploration.situations >= (isDebug ? 234 : 9_088))
  }
}
