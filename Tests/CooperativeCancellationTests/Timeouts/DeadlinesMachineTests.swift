import CooperativeCancellation
import Testing

/// The order of all events is searched in ``DeadlineExplorationTests``.
@Suite("DeadlinesMachine, with many waits", .watchdog) struct DeadlinesMachineTests {
  private func wait() -> Wait { Wait(response: .abandonCallback) }
  private func moment(_ nanoseconds: Int64) -> Moment { Moment(nanoseconds: nanoseconds) }

  /// Against a list that is searched from end to end.
  @Test(arguments: 1...50)
  func `many waits that come and go in any order are taken when they are due, earliest first`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var queue = DeadlinesMachine()
    var model: [(wait: Wait, end: Moment, ticket: DeadlinesMachine.Ticket)] = []
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
        let ends = due.compactMap { wait in model.first { $0.wait.id == wait.id }?.end }
        let expected = model.map(\.end).filter { !(moment(now) < $0) }.sorted(by: <)
        model.removeAll { one in due.contains { $0.id == one.wait.id } }
        #expect(ends == expected)
        #expect(alarm == model.map(\.end).min(by: <))
      }
      #expect(queue.count == model.count)
    }
  }

  @Test(arguments: [1, 7, 64, 1_000])
  func `all waits that are due at the same moment are taken, at most so many at once`(most: Int) {
    var queue = DeadlinesMachine()
    let waits = (0..<500).map { _ in wait() }
    for wait in waits { _ = queue.add(wait, until: moment(1)) }
    let later = wait()
    _ = queue.add(later, until: moment(2))
    var taken: [UInt] = []
    while true {
      let due = queue.takeDue(at: moment(1), atMost: most)
      if due.waits.isEmpty {
        #expect(due.alarm == moment(2))
        break
      }
      #expect(due.waits.count <= most)
      taken += due.waits.map(\.id)
    }
    #expect(taken.sorted() == waits.map(\.id).sorted())
    #expect(queue.count == 1)
  }

  @Test(arguments: 1...3)
  func `the alarm passes no wait that has ended, and no end or ring moves many of those that wait`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var queue = DeadlinesMachine()
    let many = 2_000
    let ends = (0..<many).map { _ in Int64.random(in: 0..<1_000, using: &random) }
    let added = ends.map { end in
      let wait = wait()
      return (wait: wait, ticket: queue.add(wait, until: moment(end)).0)
    }
    for (wait, ticket) in added.shuffled(using: &random).dropFirst(100) {
      #expect(queue.remove(wait, by: ticket)?.id == wait.id)
    }
    let before = queue.steps
    #expect(before <= 12 * 2 * many)
    // One of 100, and not the 1,900 that would have been due before it.
    while case let due = queue.takeDue(at: moment(1_000), atMost: 1).waits, !due.isEmpty {
      #expect(due.count == 1)
    }
    #expect(queue.steps - before <= 8 * 100 && queue.count == 0)
  }
}
