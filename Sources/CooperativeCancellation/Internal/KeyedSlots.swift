/// Numbered slots, some of which can be found by the hash of an id: the tasks of a bag, and pending calls.
///
/// A hash table with chains: a doubly linked list contains the slots whose ids fall into the same bucket. The caller
/// compares ids for equality without a lock: see ``AnyID``.
package struct KeyedSlots<Element: Sendable>: Sendable {
  /// An element, its id, and its place in a list.
  private struct Linked: Sendable {
    var element: Element
    var id: AnyID?
    var previous: Int?
    var next: Int?
  }

  /// The smallest number of lists.
  private static var keptCapacity: Int { 32 }

  private var slots = Slots<Linked>()
  /// The first slot of each list.
  private var buckets: [Int?] = []
  private var idCount = 0

  package init() {}

  /// The element in a slot, or `nil` if the slot is empty.
  @inline(__always)
  package subscript(slot: Int) -> Element? { slots[slot]?.element }

  var used: [Int] { slots.used }

  /// Inserts an element without an id. Returns its slot.
  package mutating func insert(_ element: consuming Element) -> Int {
    slots.insert(Linked(element: element))
  }

  /// Changes the element in a slot. Does nothing if the slot is empty.
  @inline(__always)
  package mutating func update(_ slot: Int, _ change: (inout Element) -> Void) {
    slots.update(slot) { change(&$0.element) }
  }

  /// Empties a slot. Returns what it contained, to release.
  package mutating func remove(_ slot: Int) -> (element: Element, id: AnyID?)? {
    guard let linked = slots.remove(slot) else { return nil }
    if let id = linked.id { removeFromList(linked, id) }
    return (linked.element, linked.id)
  }

  // MARK: Ids

  package func id(of slot: Int) -> AnyID? { slots[slot]?.id }

  package func forEach(withHash hash: Int, _ body: (Int, Element, AnyID) -> Void) {
    if buckets.isEmpty { return }
    var next = buckets[bucket(of: hash)]
    while let slot = next, let linked = slots[slot] {
      if let id = linked.id, id.hash == hash { body(slot, linked.element, id) }
      next = linked.next
    }
  }

  /// Gives an id to a slot that has none.
  package mutating func link(_ slot: Int, _ id: AnyID) {
    idCount += 1
    slots.update(slot) { $0.id = id }
    if idCount > buckets.count {
      rebuildLists()
    } else {
      insert(slot, inBucket: bucket(of: id.hash))
    }
  }

  /// Removes the id of a slot, if it has one. Returns the id, to release.
  package mutating func unlink(_ slot: Int) -> AnyID? {
    guard let linked = slots[slot], let id = linked.id else { return nil }
    slots.update(slot) { $0.id = nil }
    removeFromList(linked, id)
    return id
  }

  /// Creates at least twice as many lists as there are ids; a power of two.
  private mutating func rebuildLists() {
    var size = Self.keptCapacity
    while size < 2 * idCount { size *= 2 }
    buckets = Array(repeating: nil, count: size)
    for slot in slots.used {
      if let id = id(of: slot) { insert(slot, inBucket: bucket(of: id.hash)) }
    }
  }

  /// The list for an id with that hash.
  private func bucket(of hash: Int) -> Int {
    hash & (buckets.count - 1)
  }

  private mutating func insert(_ slot: Int, inBucket bucket: Int) {
    let first = buckets[bucket]
    slots.update(slot) { ($0.previous, $0.next) = (nil, first) }
    if let first { slots.update(first) { $0.previous = slot } }
    buckets[bucket] = slot
  }

  /// Removes what was in a slot from its list.
  private mutating func removeFromList(_ linked: Linked, _ id: AnyID) {
    if let previous = linked.previous {
      slots.update(previous) { $0.next = linked.next }
    } else {
      buckets[bucket(of: id.hash)] = linked.next
    }
    if let next = linked.next { slots.update(next) { $0.previous = linked.previous } }
    idCount -= 1
    if buckets.count > 8 * max(idCount, Self.keptCapacity) { rebuildLists() }
  }
}
