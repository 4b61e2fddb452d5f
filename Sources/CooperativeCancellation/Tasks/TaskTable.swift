/// The tasks of a bag in numbered slots. Those with an id are found by its hash, in a hash table of doubly linked lists
/// of slots. The caller compares ids for equality without a lock: see ``AnyID``.
struct TaskTable: Sendable {
  enum State: Sendable {
    /// The task is being made.
    case starting
    case running
    /// The task ended before it was known.
    case finished
  }

  /// What a search reads: no references, because each copy of one would retain an object.
  struct Link: Sendable {
    /// Slots are reused, numbers are not.
    let number: Int
    var state = State.starting
    var isCancelled = false
    /// How many tasks must end before this one may begin.
    var blockers = 0
    /// The task that this one blocks.
    var blocked: (slot: Int, number: Int)?
    /// `nil` without an id.
    fileprivate(set) var hash: Int?
    fileprivate var previous: Int?
    fileprivate var next: Int?

    fileprivate init(number: Int) {
      self.number = number
    }
  }

  private struct Content: Sendable {
    var member: Member?
    var id: (any AnyID)?
  }

  private static let keptCapacity = 32

  private var contents = Slots<Content>()
  /// One for each slot, and perhaps more.
  var links: [Link] = []
  private var lastNumber = 0
  /// The first slot of each list.
  private var buckets: [Int?] = []
  private var idCount = 0

  var used: [Int] { contents.used }

  func member(in slot: Int) -> Member? { contents[slot]?.member }

  func id(in slot: Int) -> (any AnyID)? { contents[slot]?.id }

  mutating func run(_ slot: Int, _ member: Member) {
    links[slot].state = .running
    contents.update(slot) { $0.member = member }
  }

  /// Adds a task that is starting, with or without an id. Returns its slot.
  mutating func insert(_ id: (any AnyID)?) -> Int {
    let hash = id?.hash
    let slot = contents.insert(Content(id: id))
    lastNumber += 1
    let new = Link(number: lastNumber)
    if slot < links.count { links[slot] = new } else { links.append(new) }
    if let hash { link(slot, hash) }
    return slot
  }

  /// Empties a slot. Returns what it contained, to release.
  mutating func remove(_ slot: Int) -> (member: Member?, id: (any AnyID)?) {
    removeFromList(slot)
    let content = contents.remove(slot)
    if links.count > 4 * max(contents.count, TaskTable.keptCapacity) {
      links = Array(links.prefix(contents.count))
    }
    return (content?.member, content?.id)
  }

  // MARK: Ids

  func holders(ofHash hash: Int) -> [IDHolder] {
    var holders: [IDHolder] = []
    var next = buckets.isEmpty ? nil : buckets[bucket(of: hash)]
    while let slot = next {
      if links[slot].hash == hash, let id = id(in: slot) {
        holders.append(IDHolder(slot: slot, id: id))
      }
      next = links[slot].next
    }
    return holders
  }

  /// Removes the id of a slot, if it has one. Returns the id, to release.
  mutating func unlink(_ slot: Int) -> (any AnyID)? {
    guard let id = id(in: slot) else { return nil }
    contents.update(slot) { $0.id = nil }
    removeFromList(slot)
    return id
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

  /// Creates at least twice as many lists as there are ids; a power of two.
  private mutating func rebuildLists() {
    var size = TaskTable.keptCapacity
    while size < 2 * idCount { size *= 2 }
    buckets = Array(repeating: nil, count: size)
    for slot in links.indices {
      if let hash = links[slot].hash { insert(slot, inBucket: bucket(of: hash)) }
    }
  }

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
    if buckets.count > 8 * max(idCount, TaskTable.keptCapacity) { rebuildLists() }
  }
}
