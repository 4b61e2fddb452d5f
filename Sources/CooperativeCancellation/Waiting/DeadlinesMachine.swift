internal import CancellationInternals

/// The deadlines of all waits, as a value type without a lock: a binary heap, in which a slot stores each wait's
/// position, so that it can be removed from the middle.
///
/// All waits share one alarm. The queue decides when to set it; ``Deadlines`` sets it, and tells the queue when it
/// rings. After the earliest wait is removed, the alarm rings once with no wait due.
@usableFromInline
package struct DeadlinesMachine: Sendable {
  private struct Node: Sendable {
    let end: Moment
    let slot: Int
  }

  private struct QueuedWait: Sendable {
    let wait: Wait
    var position: Int
  }

  /// Each node is due no later than its children, at `2 * position + 1` and `2 * position + 2`.
  private var heap: [Node] = []
  private var waits = Slots<QueuedWait>()
  /// The time at which the alarm rings.
  private var alarm: Moment?

  package init() {}

  package var count: Int { heap.count }

  /// The slot of a wait.
  @usableFromInline package typealias Ticket = Int

  /// Returns a ticket for removing the wait, and the time to set the alarm for, or `nil` to leave it.
  package mutating func add(_ wait: Wait, until end: Moment) -> (Ticket, alarm: Moment?) {
    let slot = waits.insert(QueuedWait(wait: wait, position: heap.count))
    heap.append(Node(end: end, slot: slot))
    moveUp(heap.count - 1)
    if let alarm, !(end < alarm) { return (slot, nil) }
    alarm = end
    return (slot, end)
  }

  /// Removes a wait, if it is still in the queue. Returns it, to release.
  package mutating func remove(_ wait: Wait, by ticket: Ticket) -> Wait? {
    // Another wait may have the slot now.
    guard let queued = waits[ticket], queued.wait.id == wait.id else { return nil }
    return take(at: queued.position)
  }

  /// The alarm rang, perhaps early or more than once. Returns at most `most` of the due waits. If there are none,
  /// returns the time to set the alarm for, or `nil` if the queue is empty.
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
    // Copying the array frees its unused capacity. A small array is not copied, to avoid a copy each time.
    if heap.capacity > 4 * max(heap.count, 32) { heap = heap.map { $0 } }
    return waits.remove(node.slot)?.wait
  }

  private mutating func place(_ node: Node, at position: Int) {
    heap[position] = node
    waits.update(node.slot) { $0.position = position }
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
