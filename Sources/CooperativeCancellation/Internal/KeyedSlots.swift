/// Numbered slots, some of which can be found by the hash of an id: the tasks of a bag, and pending calls.
///
/// A hash table with chains: a doubly linked list contains the slots whose ids fall into the same bucket. The caller
/// compares ids for equality without a lock: see ``AnyID``.
package struct KeyedSlots<Element: Keyed>: Sendable {
  /// The smallest number of lists.
  private static var keptCapacity: Int { 32 }

  private var slots = Slots<Element>()
  private var buckets: [Int] = []
  private var idCount = 0

  package init() {}

  /// The element in a slot, or `nil` if the slot is empty.
  package subscript(slot: Int) -> Element? {
    get { slots[slot] }
    _modify { yield &slots[slot] }
  }

  var used: [Int] { slots.used }

  /// Inserts an element without an id. Returns its slot.
  package mutating func insert(_ element: Element) -> Int {
    slots.insert(element)
  }

  /// Empties a slot that has no id.
  package mutating func remove(_ slot: Int) -> Element? {
    slots.remove(slot)
  }

  // MARK: Ids

  package func forEach(withHash hash: Int, _ body: (Int, AnyID) -> Void) {
    if buckets.isEmpty { return }
    var slot = buckets[bucket(of: hash)]
    while slot != KeyLink.none, let link = slots[slot]?.link {
      if let id = link.id, id.hash == hash { body(slot, id) }
      slot = link.next
    }
  }

  /// Gives an id to a slot that has none.
  package mutating func link(_ slot: Int, _ id: AnyID) {
    idCount += 1
    slots[slot]?.link.id = id
    if idCount > buckets.count {
      rebuildLists()
    } else {
      insert(slot, inBucket: bucket(of: id.hash))
    }
  }

  /// Removes the id of a slot, if it has one. Returns the id, to release.
  package mutating func unlink(_ slot: Int) -> AnyID? {
    guard let id = slots[slot]?.link.id.take() else { return nil }
    idCount -= 1
    remove(slot, fromBucket: bucket(of: id.hash))
    if buckets.count > 8 * max(idCount, Self.keptCapacity) { rebuildLists() }
    return id
  }

  /// Creates at least twice as many lists as there are ids; a power of two.
  private mutating func rebuildLists() {
    var size = Self.keptCapacity
    while size < 2 * idCount { size *= 2 }
    buckets = Array(repeating: KeyLink.none, count: size)
    for slot in slots.used {
      if let id = slots[slot]?.link.id { insert(slot, inBucket: bucket(of: id.hash)) }
    }
  }

  /// The list for an id with that hash.
  private func bucket(of hash: Int) -> Int {
    hash & (buckets.count - 1)
  }

  private mutating func insert(_ slot: Int, inBucket bucket: Int) {
    let first = buckets[bucket]
    slots[slot]?.link.previous = KeyLink.none
    slots[slot]?.link.next = first
    if first != KeyLink.none { slots[first]?.link.previous = slot }
    buckets[bucket] = slot
  }

  private mutating func remove(_ slot: Int, fromBucket bucket: Int) {
    guard let link = slots[slot]?.link else { return }
    if link.previous == KeyLink.none {
      buckets[bucket] = link.next
    } else {
      slots[link.previous]?.link.next = link.next
    }
    if link.next != KeyLink.none { slots[link.next]?.link.previous = link.previous }
  }
}

/// An element of ``KeyedSlots``.
package protocol Keyed: Sendable {
  var link: KeyLink { get set }
}

/// An element's id, and its place in a list.
package struct KeyLink: Sendable {
  /// No slot.
  fileprivate static let none = -1

  package fileprivate(set) var id: AnyID?
  fileprivate var previous = none
  fileprivate var next = none

  package init() {}
}
