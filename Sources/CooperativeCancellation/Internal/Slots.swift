/// Keeps elements in numbered slots, which are used again.
struct Slots<Element> {
  /// How many slots are kept for reuse, however few are used.
  private static var keptCapacity: Int { 32 }

  private var elements: [Element?] = []
  /// Also names slots that were given back. New ones are made only when this is empty, so it names none
  /// twice.
  private var spare: [Int] = []

  /// The element in a slot, or `nil`. A slot that was given back has none.
  subscript(slot: Int) -> Element? {
    get { slot < elements.count ? elements[slot] : nil }
    _modify { yield &elements[slot] }
  }

  var used: [Int] { elements.indices.filter { elements[$0] != nil } }

  /// Returns the slot in which the element is.
  mutating func insert(_ element: Element) -> Int {
    while let slot = spare.popLast() {
      if slot >= elements.count { continue }
      elements[slot] = element
      return slot
    }
    elements.append(element)
    return elements.count - 1
  }

  /// Empties a slot. Beyond those that are kept, empty ones at the end are given back.
  mutating func remove(_ slot: Int) -> Element? {
    let element = elements[slot].take()
    spare.append(slot)
    while elements.count > Slots.keptCapacity, elements[elements.count - 1] == nil {
      elements.removeLast()
    }
    // An array keeps its capacity, a copy does not. Not for a few, or it would be copied each time.
    if elements.capacity > 4 * max(elements.count, Slots.keptCapacity) {
      elements = elements.map { $0 }
      spare = spare.filter { $0 < elements.count }
    }
    return element
  }
}

extension Slots: Sendable where Element: Sendable {}
