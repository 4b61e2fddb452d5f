internal import CancellationInternals

/// The deadlines of all waits, as a value type without a lock: a binary heap. A wait that is removed leaves its node in
/// the heap until the alarm finds it first, or the array is large.
///
/// All waits share one alarm. The queue decides when to set it; ``Deadlines`` sets it, and tells the queue when it
/// rings. After the earliest wait is removed, the alarm rings once with no wait due.
@usableFromInline package struct DeadlinesMachine: Sendable {
  private struct Node: Sendable {
    let end: Moment
    let slot: Int
    /// Slots are reused, numbers are not.
    let number: Int
  }

  /// Each node is due no later than its children, at `2 * position + 1` and `2 * position + 2`.
  private var heap: [Node] = []
  private var waits = Slots<(number: Int, wait: Wait)>()
  private var lastNumber = 0
  /// The time at which the alarm rings.
  private var alarm: Moment?

  package private(set) var count = 0
  /// Those of ended waits, too. A test limits them.
  package var nodeCount: Int { heap.count }

  package init() {}

  /// The slot of a wait.
  @usableFromInline package typealias Ticket = Int

  /// Returns a ticket for removing the wait, and the time to set the alarm for, or `nil` to leave it.
  package mutating func add(_ wait: Wait, until end: Moment) -> (Ticket, alarm: Moment?) {
    count += 1
    lastNumber += 1
    let slot = waits.insert((lastNumber, wait))
    insert(Node(end: end, slot: slot, number: lastNumber))
    if let alarm, !(end < alarm) { return (slot, nil) }
    alarm = end
    return (slot, end)
  }

  /// Removes a wait, if it is still in the queue. Returns it, to release.
  package mutating func remove(_ wait: Wait, by ticket: Ticket) -> Wait? {
    // Another wait may have the slot now.
    waits[ticket]?.wait.id == wait.id ? take(ticket) : nil
  }

  /// The alarm rang, perhaps early or more than once. Returns at most `most` of the due waits. If there are none,
  /// returns the time to set the alarm for, or `nil` if the queue is empty.
  package mutating func takeDue(
    at now: Moment,
    atMost most: Int
  ) -> (waits: [Wait], alarm: Moment?) {
    var due: [Wait] = []
    while due.count < most, let first = heap.first, !isQueued(first) || !(now < first.end) {
      removeFirst()
      if isQueued(first), let wait = take(first.slot) { due.append(wait) }
    }
    alarm = due.isEmpty ? heap.first?.end : nil
    return (due, alarm)
  }

  private func isQueued(_ node: Node) -> Bool { waits[node.slot]?.number == node.number }

  private mutating func take(_ slot: Int) -> Wait? {
    count -= 1
    let wait = waits.remove(slot)?.wait
    // Also frees memory, which an array never does by itself.
    if heap.capacity > 4 * max(count, 32) {
      let nodes = heap
      heap = []
      for node in nodes where isQueued(node) { insert(node) }
    }
    return wait
  }

  private mutating func insert(_ node: Node) {
    var position = heap.count
    heap.append(node)
    while position > 0, case let parent = (position - 1) / 2, node.end < heap[parent].end {
      heap.swapAt(position, parent)
      position = parent
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var position = 0
    while case var child = 2 * position + 1, child < heap.count {
      if child + 1 < heap.count, heap[child + 1].end < heap[child].end { child += 1 }
      guard heap[child].end < heap[position].end else { return }
      heap.swapAt(position, child)
      position = child
    }
  }
}
