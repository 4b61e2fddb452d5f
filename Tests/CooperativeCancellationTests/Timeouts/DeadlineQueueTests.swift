import CooperativeCancellation
import MallocStatistics
import Testing

@Suite("DeadlineQueue", .watchdog)
struct DeadlineQueueTests {
  private func wait() -> Wait { Wait(response: .abandonCallback) }
  private func moment(_ nanoseconds: Int64) -> Moment { Moment(nanoseconds: nanoseconds) }

  @Test
  func `the alarm is set for the first deadline, and again only for an earlier one`() {
    var queue = DeadlineQueue()
    #expect(queue.add(wait(), until: moment(10)).alarm == moment(10))
    #expect(queue.add(wait(), until: moment(10)).alarm == nil)
    #expect(queue.add(wait(), until: moment(11)).alarm == nil)
    #expect(queue.add(wait(), until: moment(9)).alarm == moment(9))
  }

  @Test
  func `due waits are taken in batches, earliest first, and the alarm is set after the last batch`()
  {
    var queue = DeadlineQueue()
    let waits = (0..<10).map { _ in wait() }
    for (number, wait) in waits.enumerated().reversed() {
      _ = queue.add(wait, until: moment(Int64(number)))
    }
    var taken: [Int] = []
    for size in [4, 4, 1, 0] {
      let due = queue.takeDue(at: moment(8), atMost: 4)
      #expect(due.waits.count == size)
      #expect(due.alarm == (size == 0 ? moment(9) : nil))
      taken += due.waits.compactMap { wait in waits.firstIndex { $0.id == wait.id } }
    }
    #expect(taken == Array(0...8))
    #expect(queue.count == 1)
  }

  @Test
  func `a ticket for a slot that was freed removes nothing`() {
    var queue = DeadlineQueue()
    let waits = (0..<1_000).map { _ in wait() }
    let tickets = waits.map { queue.add($0, until: moment(1)).0 }
    while !queue.takeDue(at: moment(1), atMost: 64).waits.isEmpty {}
    for (wait, ticket) in zip(waits, tickets) {
      #expect(queue.remove(wait, by: ticket)?.id == nil)
    }
  }

  /// Against a list that is searched from end to end.
  @Test(arguments: 1...50)
  func `many waits that come and go in any order are taken when they are due`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = DeadlineQueue()
    var model: [(wait: Wait, end: Moment, ticket: DeadlineQueue.Ticket)] = []
    var now: Int64 = 0
    for _ in 0..<4_000 {
      switch Int.random(in: 0..<100, using: &random) {
      case ..<45:
        let (new, end) = (wait(), moment(now + .random(in: 0...200, using: &random)))
        model.append((new, end, queue.add(new, until: end).0))
      case ..<85:
        guard let index = model.indices.randomElement(using: &random) else { continue }
        let removed = model.remove(at: index)
        #expect(queue.remove(removed.wait, by: removed.ticket)?.id == removed.wait.id)
      default:
        now += .random(in: 0...20, using: &random)
        var due: [Wait] = []
        var alarm: Moment?
        while case let next = queue.takeDue(at: moment(now), atMost: 7), alarm == nil {
          due += next.waits
          alarm = next.alarm
          if next.waits.isEmpty { break }
        }
        let expected = model.filter { !(moment(now) < $0.end) }
        model.removeAll { !(moment(now) < $0.end) }
        #expect(
          Set(due.map(\.id)) == Set(expected.map { $0.wait.id })
        )
        #expect(due.count == expected.count)
        #expect(alarm == model.map(\.end).min(by: <))
      }
      #expect(queue.count == model.count)
    }
  }

  @Test(.enabled(if: mallocCounts))
  func `without waits, it keeps little storage`() async {
    // A process of its own, because other tests use memory too.
    await #expect(processExitsWith: .success) {
      var queue = DeadlineQueue()
      let wait = Wait(response: .abandonCallback)
      func run(_ count: Int) {
        let tickets = (0..<count).map { queue.add(wait, until: Moment(nanoseconds: Int64($0))).0 }
        for ticket in tickets { _ = queue.remove(wait, by: ticket) }
      }
      run(10)
      let before = malloc_bytes_in_use()
      run(100_000)
      #expect(queue.count == 0)
      #expect(malloc_bytes_in_use() - before < 20_000)
    }
  }
}
