/// The storage of a ``TaskRegistry``: slots that are used again, and lists of those that have an id.
///
/// The slots are an array, and each is in at most one doubly linked list: that of the free slots, or that of the
/// ids whose hash has the same remainder, as in a hash table with chains.
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

    var state = State.free
    var member: Member?
    fileprivate(set) var id: TaskID?
    fileprivate var previous = none
    fileprivate var next = none
  }

  private enum List {
    case free
    case ids(bucket: Int)
  }

  /// No slot.
  private static let none = -1

  /// How many slots, and lists of ids, are kept for reuse, however few are used.
  private static let keptCapacity = 32

  private var slots: [Slot] = []
  private var firstFree = none
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
    let slot: Int
    if firstFree == TaskSlots.none {
      slot = slots.count
      slots.append(Slot())
    } else {
      slot = firstFree
      remove(slot, from: .free)
    }
    slots[slot].state = .starting
    return slot
  }

  /// A slot is not used any more. Beyond those that are kept, free ones at the end are given back.
  mutating func free(_ slot: Int) {
    slots[slot].state = .free
    insert(slot, in: .free)
    while slots.count > TaskSlots.keptCapacity, slots[slots.count - 1].state == .free {
      remove(slots.count - 1, from: .free)
      slots.removeLast()
    }
    // An array keeps its capacity, a copy does not. Not for a few, or it would be copied each time.
    if slots.capacity > 4 * max(slots.count, TaskSlots.keptCapacity) { slots = slots.map { $0 } }
  }

  // MARK: Ids

  func forEach(withHash hash: Int, _ body: (Int, TaskID) -> Void) {
    if buckets.isEmpty { return }
    var slot = self[first: list(of: hash)]
    while slot != TaskSlots.none {
      if let id = slots[slot].id, id.hash == hash { body(slot, id) }
      slot = slots[slot].next
    }
  }

  /// Gives an id to a slot that has none.
  mutating func link(_ slot: Int, _ id: TaskID) {
    idCount += 1
    slots[slot].id = id
    if idCount > buckets.count {
      rebuildLists()
    } else {
      insert(slot, in: list(of: id.hash))
    }
  }

  /// Takes the id from a slot that may have one.
  mutating func unlink(_ slot: Int) -> TaskID? {
    guard let id = slots[slot].id.take() else { return nil }
    idCount -= 1
    remove(slot, from: list(of: id.hash))
    if buckets.count > 8 * max(idCount, TaskSlots.keptCapacity) { rebuildLists() }
    return id
  }

  /// Makes about twice as many lists as there are ids; a power of two.
  private mutating func rebuildLists() {
    var size = TaskSlots.keptCapacity
    while size < 2 * idCount { size *= 2 }
    buckets = Array(repeating: TaskSlots.none, count: size)
    for slot in slots.indices {
      if let id = slots[slot].id { insert(slot, in: list(of: id.hash)) }
    }
  }

  // MARK: Lists

  private func list(of hash: Int) -> List {
    .ids(bucket: hash & (buckets.count - 1))
  }

  private subscript(first list: List) -> Int {
    get {
      switch list {
      case .free: firstFree
      case .ids(let bucket): buckets[bucket]
      }
    }
    set {
      switch list {
      case .free: firstFree = newValue
      case .ids(let bucket): buckets[bucket] = newValue
      }
    }
  }

  private mutating func insert(_ slot: Int, in list: List) {
    let first = self[first: list]
    slots[slot].previous = TaskSlots.none
    slots[slot].next = first
    if first != TaskSlots.none { slots[first].previous = slot }
    self[first: list] = slot
  }

  private mutating func remove(_ slot: Int, from list: List) {
    let (previous, next) = (slots[slot].previous, slots[slot].next)
    if previous == TaskSlots.none {
      self[first: list] = next
    } else {
      slots[previous].next = next
    }
    if next != TaskSlots.none { slots[next].previous = previous }
  }
}
