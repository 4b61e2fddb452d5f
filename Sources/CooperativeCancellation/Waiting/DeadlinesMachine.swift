internal import CancellationInternals

/// The deadlines of all waits, as a value type without a lock: a binary heap. It knows where the
/// node of each wait is, so a wait that is removed takes its node with it. The alarm would
/// otherwise pass any number of them under the lock.
///
/// All waits share one alarm. The queue decides when to set it; ``Deadlines`` sets it, and tells
/// the queue when it rings. After the earliest wait is removed, the alarm rings once with no wait
/// due.
@usableFromInline package struct DeadlinesMachine: Sendable {
  private struct Node: Sendable {
    let end: Moment
    let slot: Int
  }

  /// Each node is due no later than its children, at `2 * position + 1` and `2 * position + 2`.
  private var heap: [Node] = []
  /// The waits, with the positions of their nodes in the heap.
  private var waits = Slots<(wait: Wait, position: Int)>()
  /// The time at which the alarm rings.
  private var alarm: Moment?

  package var count: Int { heap.count }
  /// How many nodes were moved so far. A test limits them.
  package private(set) var steps = 0

  package init() {}

  /// The slot of a wait.
  @usableFromInline package typealias Ticket = Int

  /// Returns a ticket for removing the wait, and the time to set the alarm for, or `nil` to leave
  /// it.
  package mutating func add(_ wait: Wait, until end: Moment) -> (Ticket, alarm: Moment?) {
    let slot = waits.insert((wait, heap.count))
    let node = Node(end: end, slot: slot)
    heap.append(node)
    rise(node, from: heap.count - 1)
    if let alarm, !(end < alarm) { return (slot, nil) }
    alarm = end
    return (slot, end)
  }

  /// Removes a wait, if it is still in the queue. Returns it, to release.
  package mutating func remove(_ wait: Wait, by ticket: Ticket) -> Wait? {
    // Another wait may have the slot now.
    waits[ticket]?.wait.id == wait.id ? removeWait(in: ticket) : nil
  }

  /// The alarm rang, perhaps early or more than once. Returns at most `most` of the due waits. If
  /// there are none, returns the time to set the alarm for, or `nil` if the queue is empty.
  package mutating func takeDue(
    at now: Moment,
    atMost most: Int
  ) -> (waits: [Wait], alarm: Moment?) {
    var due: [Wait] = []
    while due.count < most, let first = heap.first, !(now < first.end) {
      if let wait = removeWait(in: first.slot) { due.append(wait) }
    }
    // If some are due, more may be, so the caller asks again before it sets the alarm.
    alarm = due.isEmpty ? heap.first?.end : nil
    return (due, alarm)
  }

  private mutating func removeWait(in slot: Int) -> Wait? {
    guard let (wait, position) = waits.remove(slot) else { return nil }
    let last = heap.removeLast()
    // The last node fills the gap, unless it was the one that is removed.
    if position < heap.count {
      // It may come from another branch, so it may be due before the parent of the gap.
      if position > 0, last.end < heap[(position - 1) / 2].end {
        rise(last, from: position)
      } else {
        sink(last, from: position)
      }
    }
    // Also frees memory, which an array never does by itself.
    if heap.capacity > 4 * max(count, 32) { heap = heap.map { $0 } }
    return wait
  }

  private mutating func put(_ node: Node, at position: Int) {
    steps += 1
    heap[position] = node
    waits.update(node.slot) { $0.position = position }
  }

  /// Puts a node at a position or above it.
  private mutating func rise(_ node: Node, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard node.end < heap[parent].end else { break }
      put(heap[parent], at: position)
      position = parent
    }
    put(node, at: position)
  }

  /// Puts a node at a position or below it.
  private mutating func sink(_ node: Node, from start: Int) {
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      // The earlier of two children rises, because it must be due no later than the other one.
      if child + 1 < heap.count, heap[child + 1].end < heap[child].end { child += 1 }
      guard heap[child].end < node.end else { break }
      put(heap[child], at: position)
      position = child
    }
    put(node, at: position)
  }
}
