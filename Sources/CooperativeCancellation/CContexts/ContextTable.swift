/// The closure that a ``CallbackContext`` keeps.
package protocol ContextEntry: AnyObject, Sendable {
  var isRepeating: Bool { get }
  var callSite: CallSite { get }
  /// The type of the closure.
  static var type: Any.Type { get }
}

extension CallbackContext {
  /// The number of closures from a call site that C may still call. For tests.
  package static func count(at callSite: CallSite) -> Int {
    ContextTable.count(at: callSite)
  }
}

/// The entries whose numbers C has. Each part has its own lock, so threads that call back at the same time rarely wait
/// for each other.
final class ContextTable: Sendable {
  /// A power of two.
  private static let partCount = 16
  private static let parts = (0..<UInt(partCount)).map { ContextTable(part: $0) }

  private let entries: Locked<ContextEntries>

  private init(part: UInt) {
    entries = Locked(initially: ContextEntries(first: part, step: UInt(ContextTable.partCount)))
  }

  /// Returns the number of an entry. It is never zero, which would be a null pointer.
  static func add(_ entry: any ContextEntry) -> UInt {
    // Any part is correct. The address spreads entries from different threads over the parts.
    let address = UInt(bitPattern: ObjectIdentifier(entry)) / 16
    return part(of: address ^ address / 256).entries.locked { $0.add(entry) }
  }

  /// Returns an entry, and removes it unless it is repeating.
  static func entry(for number: UInt) -> (any ContextEntry)? {
    part(of: number).entries.locked { $0.entry(for: number) }
  }

  /// Removes an entry.
  static func remove(_ number: UInt) {
    // The entry holds the user's captures, so it is released here, after unlocking.
    _ = part(of: number).entries.extract { $0.remove(number) }
  }

  /// The number of entries from a call site.
  static func count(at callSite: CallSite) -> Int {
    parts.reduce(0) { $0 + $1.entries.locked { $0.count(at: callSite) } }
  }

  private static func part(of number: UInt) -> ContextTable {
    parts[Int(number % UInt(partCount))]
  }
}

/// The entries of one part, as a value type without a lock.
///
/// An entry's number determines its slot. Each new number is chosen so that its slot is free.
package struct ContextEntries: Sendable {
  private struct Slot: Sendable {
    var number: UInt = 0
    var entry: (any ContextEntry)?
  }

  /// The smallest number of slots; a power of two.
  private static let keptCapacity = 32

  private var slots = Array(repeating: Slot(), count: ContextEntries.keptCapacity)
  package private(set) var count = 0
  private var removalsSinceResize = 0
  private var lastNumber: UInt
  private let step: UInt

  /// - Parameters:
  ///   - first: The remainder of all numbers when divided by `step`.
  ///   - step: The difference between consecutive numbers; a power of two.
  package init(first: UInt, step: UInt) {
    lastNumber = first
    self.step = step
  }

  /// Numbers are not reused, so a late call cannot find another closure's entry. With 32-bit pointers they wrap
  /// around after about 270 million entries.
  package mutating func add(_ entry: any ContextEntry) -> UInt {
    if 2 * count >= slots.count { resize(to: 2 * slots.count) }
    repeat { lastNumber &+= step } while lastNumber == 0 || slots[slot(of: lastNumber)].entry != nil
    slots[slot(of: lastNumber)] = Slot(number: lastNumber, entry: entry)
    count += 1
    return lastNumber
  }

  package mutating func entry(for number: UInt) -> (any ContextEntry)? {
    let slot = slots[slot(of: number)]
    guard slot.number == number, let entry = slot.entry else { return nil }
    return entry.isRepeating ? entry : remove(number)
  }

  package mutating func remove(_ number: UInt) -> (any ContextEntry)? {
    let slot = slot(of: number)
    guard slots[slot].number == number, let entry = slots[slot].entry.take() else { return nil }
    count -= 1
    removalsSinceResize += 1
    if slots.count > ContextEntries.keptCapacity, 8 * count < slots.count,
      8 * removalsSinceResize > slots.count
    {
      shrink()
    }
    return entry
  }

  package func count(at callSite: CallSite) -> Int {
    slots.count { $0.entry?.callSite == callSite }
  }

  private func slot(of number: UInt) -> Int {
    Int(truncatingIfNeeded: number / step) & (slots.count - 1)
  }

  /// Removes as many slots as possible without giving two of the remaining entries the same slot.
  private mutating func shrink() {
    let numbers = slots.filter { $0.entry != nil }.map { Int(truncatingIfNeeded: $0.number / step) }
    var size = ContextEntries.keptCapacity
    while 2 * count >= size || Set(numbers.map { $0 & (size - 1) }).count < count { size *= 2 }
    resize(to: size)
  }

  private mutating func resize(to size: Int) {
    let old = slots
    slots = Array(repeating: Slot(), count: size)
    for one in old where one.entry != nil { slots[slot(of: one.number)] = one }
    removalsSinceResize = 0
  }
}
