/// Which waits end when, and when to look again: a value type without a lock.
///
/// A binary heap of deadlines. Each wait also has a slot that says where in the heap it is, so that it can be
/// taken out from the middle.
///
/// There is one alarm for all. This says when to set it, and for when; ``Deadlines`` does, and says when it rings.
/// It is set for the earliest deadline, or for one before that, which is gone by now: then it rings once in vain.
package struct DeadlineQueue: Sendable {
  private struct Node: Sendable {
    let end: Moment
    let slot: Int
  }

  private struct Sleeper: Sendable {
    let wait: Wait
    var position: Int
  }

  /// Each is due no later than those at twice its position and one, or two, more.
  private var heap: [Node] = []
  private var sleepers = Slots<Sleeper>()
  /// When the alarm rings.
  private var alarm: Moment?

  package init() {}

  package var count: Int { heap.count }

  /// Where a wait is kept.
  package struct Ticket: Sendable {
    fileprivate let slot: Int
  }

  /// Keeps a wait until it is due or removed.
  ///
  /// - Returns: What to remove it by; and when the alarm must ring, if not as it is set.
  package mutating func add(_ wait: Wait, until end: Moment) -> (Ticket, alarm: Moment?) {
    let slot = sleepers.insert(Sleeper(wait: wait, position: heap.count))
    heap.append(Node(end: end, slot: slot))
    moveUp(heap.count - 1)
    if let alarm, !(end < alarm) { return (Ticket(slot: slot), nil) }
    alarm = end
    return (Ticket(slot: slot), end)
  }

  /// Forgets a wait, if it is still here. Returns it, for releasing.
  package mutating func remove(_ wait: Wait, by ticket: Ticket) -> Wait? {
    // The slot may be another's by now.
    guard let sleeper = sleepers[ticket.slot], sleeper.wait.id == wait.id else { return nil }
    return take(at: sleeper.position)
  }

  /// The alarm has rung, at its time or at any other. Returns waits that are due, at most as many; none means
  /// that no other is: then the alarm must be set, unless it is `nil`.
  package mutating func takeDue(
    at now: Moment,
    atMost most: Int
  ) -> (waits: [Wait], alarm: Moment?) {
    var due: [Wait] = []
    while due.count < most, let first = heap.first, !(now < first.end), let wait = take(at: 0) {
      due.append(wait)
    }
    alarm = due.isEmpty ? heap.first?.end : nil
    return (due, alarm)
  }

  private mutating func take(at position: Int) -> Wait? {
    let node = heap[position]
    let last = heap.removeLast()
    if position < heap.count {
      place(last, at: position)
      moveUp(position)
      moveDown(position)
    }
    // An array keeps its capacity, a copy does not. Not for a few, or it would be copied each time.
    if heap.capacity > 4 * max(heap.count, 32) { heap = heap.map { $0 } }
    return sleepers.remove(node.slot)?.wait
  }

  private mutating func place(_ node: Node, at position: Int) {
    heap[position] = node
    sleepers[node.slot]?.position = position
  }

  private mutating func moveUp(_ start: Int) {
    let node = heap[start]
    var position = start
    while position > 0, case let parent = (position - 1) / 2, node.end < heap[parent].end {
      place(heap[parent], at: position)
      position = parent
    }
    if position != start { place(node, at: position) }
  }

  private mutating func moveDown(_ start: Int) {
    let node = heap[start]
    var position = start
    while true {
      let left = 2 * position + 1
      guard left < heap.count else { break }
      let right = left + 1
      let child = right < heap.count && heap[right].end < heap[left].end ? right : left
      guard heap[child].end < node.end else { break }
      place(heap[child], at: position)
      position = child
    }
    if position != start { place(node, at: position) }
  }
}
