/// Elements in the order of their numbers, which increase. One that is removed leaves an empty
/// slot; when more than half are empty, the others move to a smaller array. No operation takes more
/// steps than a binary search, on average.
@usableFromInline package struct NumberedQueue<Element: Sendable>: Sendable {
  @usableFromInline package var slots: [(number: Int, element: Element?)] = []
  /// The slots before it are empty.
  @usableFromInline var head = 0
  @usableFromInline package var count = 0
  /// How many slots were looked at or moved so far. A test limits them.
  @usableFromInline package var steps = 0

  @_alwaysEmitIntoClient
  package init() {}

  /// Adds an element. Its number must be higher than all before, because `position(of:)` searches
  /// for it.
  @_alwaysEmitIntoClient
  package mutating func append(_ element: Element, _ number: Int) {
    slots.append((number, element))
    count += 1
  }

  /// Returns the first element. Passes over each empty slot only once, however often it is called.
  @_alwaysEmitIntoClient
  package mutating func first() -> Element? {
    while head < slots.count {
      steps += 1
      if let first = slots[head].element { return first }
      head += 1
    }
    return nil
  }

  /// Returns the last element. Removes the empty slots behind it.
  @_alwaysEmitIntoClient
  package mutating func last() -> Element? {
    while slots.count > head {
      steps += 1
      if let last = slots[slots.count - 1].element { return last }
      slots.removeLast()
    }
    return nil
  }

  /// Takes all in one step. The caller can look at each of them later, without a lock.
  @_alwaysEmitIntoClient
  package mutating func takeAll() -> NumberedQueue {
    var all = NumberedQueue()
    swap(&all, &self)
    steps = all.steps
    return all
  }

  @_alwaysEmitIntoClient
  package mutating func popFirst() -> (number: Int, element: Element)? {
    first() == nil ? nil : takeElement(at: head)
  }

  @_alwaysEmitIntoClient
  package mutating func remove(_ number: Int) -> Element? {
    position(of: number).flatMap { takeElement(at: $0)?.element }
  }

  /// Finds the slot of a number, which may be empty by now.
  @_alwaysEmitIntoClient
  package mutating func position(of number: Int) -> Int? {
    var start = head
    var end = slots.count
    while start < end {
      steps += 1
      let middle = (start + end) / 2
      if slots[middle].number == number { return middle }
      if slots[middle].number < number { start = middle + 1 } else { end = middle }
    }
    return nil
  }

  /// Empties a slot. Returns `nil` if it was empty.
  @_alwaysEmitIntoClient
  mutating func takeElement(at position: Int) -> (number: Int, element: Element)? {
    let number = slots[position].number
    guard let element = slots[position].element.take() else { return nil }
    count -= 1
    if count == 0 {
      slots = []
      head = 0
    } else if slots.count > 2 * count {
      // Since the last move, at least as many slots have become empty as elements move now.
      steps += slots.count
      slots = slots.filter { $0.element != nil }
      head = 0
    }
    return (number, element)
  }
}
