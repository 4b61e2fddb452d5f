/// Elements in order of arrival: a ring buffer that grows up to the policy's bound.
@usableFromInline package struct ElementBuffer<Element: Sendable>: Sendable {
  @usableFromInline package var slots: [Element?] = []
  @usableFromInline var head = 0
  @usableFromInline package var count = 0

  /// How many slots an empty buffer keeps; it frees larger storage.
  @usableFromInline package static var kept: Int { 64 }

  @_alwaysEmitIntoClient
  package init() {}

  @_alwaysEmitIntoClient
  package var isEmpty: Bool { count == 0 }

  /// Adds an element, with room for at most `capacity`.
  @_alwaysEmitIntoClient
  package mutating func append(_ element: Element, capacity: Int) {
    if count == slots.count { grow(atMost: capacity) }
    let end = head &+ count
    slots[end < slots.count ? end : end &- slots.count] = element
    count &+= 1
  }

  /// Removes the oldest element. An empty buffer gives back what it needed for a slow reader.
  @_alwaysEmitIntoClient
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[head].take()
    head = head &+ 1 == slots.count ? 0 : head &+ 1
    count &-= 1
    if count == 0, slots.count > Self.kept { self = Self() }
    return element
  }

  /// Doubles the storage, which is full. The elements move to its beginning: first those up to the
  /// end of the old one, then those that had wrapped around to its beginning.
  @_alwaysEmitIntoClient
  mutating func grow(atMost capacity: Int) {
    var grown: [Element?] = []
    let size = min(capacity, max(4, 2 * count))
    grown.reserveCapacity(size)
    for index in head..<slots.count { grown.append(slots[index]) }
    for index in 0..<head { grown.append(slots[index]) }
    for _ in count..<size { grown.append(nil) }
    slots = grown
    head = 0
  }
}
