/// Elements in numbered slots, which are reused. Its code is emitted into the modules that use it,
/// to be specialized.
@usableFromInline package struct Slots<Element> {
  /// The number of slots that are never freed.
  @_alwaysEmitIntoClient
  static var keptCapacity: Int { 32 }

  @usableFromInline var elements: [Element?] = []
  /// The empty slots, and slots that were freed. Each is here once, because a new slot is created
  /// only when this is empty.
  @usableFromInline var spare: [Int] = []

  @_alwaysEmitIntoClient
  package init() {}

  @_alwaysEmitIntoClient
  package subscript(slot: Int) -> Element? { slot < elements.count ? elements[slot] : nil }

  /// Does nothing if the slot is empty. Not a `_modify` accessor, which in another one would
  /// allocate a frame.
  @_alwaysEmitIntoClient
  package mutating func update(_ slot: Int, _ change: (inout Element) -> Void) {
    guard slot < elements.count, var element = elements[slot].take() else { return }
    change(&element)
    elements[slot] = element
  }

  /// The number of slots, including empty ones.
  @_alwaysEmitIntoClient
  package var count: Int { elements.count }

  @_alwaysEmitIntoClient
  package var all: [Element] { elements.compactMap { $0 } }

  @_alwaysEmitIntoClient
  package var used: [Int] { elements.indices.filter { elements[$0] != nil } }

  @_alwaysEmitIntoClient
  package mutating func insert(_ element: consuming Element) -> Int {
    while let slot = spare.popLast() {
      if slot >= elements.count { continue }
      elements[slot] = element
      return slot
    }
    elements.append(element)
    return elements.count - 1
  }

  /// Empties a slot. Frees empty slots at the end, beyond those that are kept.
  @_alwaysEmitIntoClient
  package mutating func remove(_ slot: Int) -> Element? {
    let element = elements[slot].take()
    spare.append(slot)
    while elements.count > Slots.keptCapacity, elements[elements.count - 1] == nil {
      elements.removeLast()
    }
    // Copying the array frees its unused capacity. A small array is not copied, to avoid a copy
    // each time.
    if elements.capacity > 4 * max(elements.count, Slots.keptCapacity) {
      elements = elements.map { $0 }
      spare = spare.filter { $0 < elements.count }
    }
    return element
  }
}

extension Slots: Sendable where Element: Sendable {}
