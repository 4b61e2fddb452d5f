/// The storage of a ``TaskRegistry``: slots that are used again, and lists of those that have an id.
///
/// The slots are an array, with a stack of those that are free. A slot with an id is in a doubly linked list
/// of the ids whose hash has the same remainder, as in a hash table with chains.
struct TaskSlots: Sendable {
  struct Slot: Sendable {
    enum State: Sendable {
      case free
      /// The task is being made.
      case starting
      /// The task is being made, and must be cancelled when it is there.
      case startingCancelled
      case running
      /// The task has ended before the one who made it could say so.
      case finished
    }

    var state = State.starting
    var member: Member?
    fileprivate(set) var id: TaskID?
    fileprivate var previous = none
    fileprivate var next = none
  }

  /// No slot.
  private static let none = -1

  /// How many slots, and lists of ids, are kept for reuse, however few are used.
  private static let keptCapacity = 32

  private var slots: [Slot] = []
  /// Also names slots that were given back. New ones are made only when this is empty, so it names none
  /// twice.
  private var spare: [Int] = []
  private var buckets: [Int] = []
  private var idCount = 0

  subscript(slot: Int) -> Slot {
    get { slots[slot] }
    _modify { yield &slots[slot] }
  }

  var used: [Int] { slots.indices.filter { slots[$0].state != .free } }

  // MARK: Taking and freeing

  /// Returns a slot for a task that is being made.
  mutating func take() -> Int {
    while let slot = spare.popLast() {
      if slot >= slots.count { continue }
      slots[slot].state = .starting
      return slot
    }
    slots.append(Slot())
    return slots.count - 1
  }

  /// A slot is not used any more. Beyond those that are kept, free ones at the end are given back.
  mutating func free(_ slot: Int) {
    slots[slot].state = .free
    spare.append(slot)
    while slots.count > TaskSlots.keptCapacity, slots[slots.count - 1].state == .free {
      slots.removeLast()
    }
    // An array keeps its capacity, a copy does not. Not for a few, or it would be copied each time.
    if slots.capacity > 4 * max(slots.count, TaskSlots.keptCapacity) {
      slots = slots.map { $0 }
      spare = spare.filter { $0 < slots.count }
    }
  }

  // MARK: Ids

  func forEach(withHash hash: Int, _ body: (Int, TaskID) -> Void) {
    if buckets.isEmpty { return }
    var slot = buckets[bucket(of: hash)]
    while slot != TaskSlots.none {
      if let id = slots[slot].id, id.hash == hash { body(slot, id) }
      slot = slots[slot].next
    }
  }

  /// Whether a slot has the id that it had.
  func isThere(_ holder: TaskRegistry.Holder) -> Bool {
    holder.slot < slots.count && slots[holder.slot].id === holder.id
  }

  /// Gives an id to a slot that has none.
  mutating func link(_ slot: Int, _ id: TaskID) {
    idCount += 1
    slots[slot].id = id
    if idCount > buckets.count {
      rebuildLists()
    } else {
      insert(slot, inBucket: bucket(of: id.hash))
    }
  }

  /// Takes the id from a slot that may have one.
  mutating func unlink(_ slot: Int) -> TaskID? {
    guard let id = slots[slot].id.take() else { return nil }
    idCount -= 1
    remove(slot, fromBucket: bucket(of: id.hash))
    if buckets.count > 8 * max(idCount, TaskSlots.keptCapacity) { rebuildLists() }
    return id
  }

  /// Makes about twice as many lists as there are ids; a power of two.
  private mutating func rebuildLists() {
    var size = TaskSlots.keptCapacity
    while size < 2 * idCount { size *= 2 }
    buckets = Array(repeating: TaskSlots.none, count: size)
    for slot in slots.indices {
      if let id = slots[slot].id { insert(slot, inBucket: bucket(of: id.hash)) }
    }
  }

  /// The list that an id belongs to.
  private func bucket(of hash: Int) -> Int {
    hash & (buckets.count - 1)
  }

  private mutating func insert(_ slot: Int, inBucket bucket: Int) {
    let first = buckets[bucket]
    slots[slot].previous = TaskSlots.none
    slots[slot].next = first
    if first != TaskSlots.none { slots[first].previous = slot }
    buckets[bucket] = slot
  }

  private mutating func remove(_ slot: Int, fromBucket bucket: Int) {
    let (previous, next) = (slots[slot].previous, slots[slot].next)
    if previous == TaskSlots.none {
      buckets[bucket] = next
    } else {
      slots[previous].next = next
    }
    if next != TaskSlots.none { slots[next].previous = previous }
  }
}
