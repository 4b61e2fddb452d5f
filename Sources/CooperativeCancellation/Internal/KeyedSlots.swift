/// Numbered slots, some of which can be found by the hash of an id: the tasks of a bag, and pending calls.
///
/// A hash table with chains: a doubly linked list contains the slots whose ids fall into the same bucket. The caller
/// compares ids for equality without a lock: see ``AnyID``.
package struct KeyedSlots<State: Sendable, Element: Sendable>: Sendable {
  /// What a search reads. It contains no references, because each copy of one would retain and release an object.
  private struct Link: Sendable {
    /// `nil` if the slot is empty.
    var state: State?
    /// `nil` without an id.
    var hash: Int?
    var previous: Int?
    var next: Int?
  }

  private struct Content: Sendable {
    var element: Element
    var id: (any AnyID)?
  }

  /// The smallest number of lists.
  private static var keptCapacity: Int { 32 }

  private var contents = Slots<Content>()
  /// One for each slot, and perhaps more.
  private var links: [Link] = []
  /// The first slot of each list.
  private var buckets: [Int?] = []
  private var idCount = 0

  package init() {}

  /// The state of a slot, or `nil` if the slot is empty.
  package func state(of slot: Int) -> State? {
    slot < links.count ? links[slot].state : nil
  }

  /// The element in a slot, or `nil` if the slot is empty.
  package subscript(slot: Int) -> Element? { contents[slot]?.element }

  var used: [Int] { contents.used }

  /// Inserts an element, with or without an id. Returns its slot.
  package mutating func insert(
    _ element: consuming Element,
    _ state: State,
    id: (any AnyID)?
  ) -> Int {
    let hash = id?.hash
    let slot = contents.insert(Content(element: element, id: id))
    if slot < links.count {
      links[slot] = Link(state: state)
    } else {
      links.append(Link(state: state))
    }
    if let hash { link(slot, hash) }
    return slot
  }

  /// Changes the state of a slot. Does nothing if the slot is empty.
  package mutating func update(_ slot: Int, _ state: State) {
    if self.state(of: slot) != nil { links[slot].state = state }
  }

  /// Changes the state of a slot and its element. Does nothing if the slot is empty.
  package mutating func update(_ slot: Int, _ state: State, _ element: Element) {
    update(slot, state)
    contents.update(slot) { $0.element = element }
  }

  /// Empties a slot. Returns what it contained, to release.
  package mutating func remove(_ slot: Int) -> (element: Element, id: (any AnyID)?)? {
    guard let content = contents.remove(slot) else { return nil }
    removeFromList(slot)
    links[slot] = Link()
    if links.count > 4 * max(contents.count, Self.keptCapacity) {
      links = Array(links.prefix(contents.count))
    }
    return (content.element, content.id)
  }

  // MARK: Ids

  package func id(of slot: Int) -> (any AnyID)? { contents[slot]?.id }

  /// Returns the first slot whose id has a hash.
  package func first(withHash hash: Int) -> Int? {
    buckets.isEmpty ? nil : find(hash, from: buckets[bucket(of: hash)])
  }

  /// Returns the next slot whose id has the hash.
  package func next(withHash hash: Int, after slot: Int) -> Int? {
    find(hash, from: links[slot].next)
  }

  private func find(_ hash: Int, from start: Int?) -> Int? {
    var next = start
    while let slot = next, links[slot].hash != hash { next = links[slot].next }
    return next
  }

  /// Gives an id to a slot that has none.
  package mutating func link(_ slot: Int, _ id: any AnyID) {
    contents.update(slot) { $0.id = id }
    link(slot, id.hash)
  }

  private mutating func link(_ slot: Int, _ hash: Int) {
    idCount += 1
    links[slot].hash = hash
    if idCount > buckets.count {
      rebuildLists()
    } else {
      insert(slot, inBucket: bucket(of: hash))
    }
  }

  /// Removes the id of a slot, if it has one. Returns the id, to release.
  package mutating func unlink(_ slot: Int) -> (any AnyID)? {
    guard let id = id(of: slot) else { return nil }
    contents.update(slot) { $0.id = nil }
    removeFromList(slot)
    return id
  }

  /// Creates at least twice as many lists as there are ids; a power of two.
  private mutating func rebuildLists() {
    var size = Self.keptCapacity
    while size < 2 * idCount { size *= 2 }
    buckets = Array(repeating: nil, count: size)
    for slot in links.indices {
      if let hash = links[slot].hash { insert(slot, inBucket: bucket(of: hash)) }
    }
  }

  /// The list for an id with that hash.
  private func bucket(of hash: Int) -> Int {
    hash & (buckets.count - 1)
  }

  private mutating func insert(_ slot: Int, inBucket bucket: Int) {
    let first = buckets[bucket]
    links[slot].previous = nil
    links[slot].next = first
    if let first { links[first].previous = slot }
    buckets[bucket] = slot
  }

  /// Removes a slot from its list, if it has an id.
  private mutating func removeFromList(_ slot: Int) {
    let link = links[slot]
    guard let hash = link.hash else { return }
    links[slot].hash = nil
    if let previous = link.previous {
      links[previous].next = link.next
    } else {
      buckets[bucket(of: hash)] = link.next
    }
    if let next = link.next { links[next].previous = link.previous }
    idCount -= 1
    if buckets.count > 8 * max(idCount, Self.keptCapacity) { rebuildLists() }
  }
}
