internal import CancellationInternals
package import CooperativeCancellation

/// The closure that a ``CallbackContext`` keeps.
package protocol ContextEntry: AnyObject, Sendable {
  var isRepeating: Bool { get }
  var callSite: CallSite { get }
  static var type: Any.Type { get }
}

/// The entries whose numbers C has.
package enum ContextTable {
  private static let partCount: UInt = 16
  /// Several, so that threads that call back at the same time rarely wait for each other.
  private static let parts = (0..<partCount).map {
    Locked(initially: ContextEntries(first: $0, step: partCount))
  }

  /// Returns the number of an entry. It is never zero, which would be a null pointer.
  static func add(_ entry: any ContextEntry) -> UInt {
    // Any part is correct. The address spreads entries from different threads over the parts.
    let address = UInt(bitPattern: ObjectIdentifier(entry)) / 16
    return part(of: address ^ address / 256).locked { $0.add(entry) }
  }

  /// Returns an entry, and removes it unless it is repeating.
  static func entry(for number: UInt) -> (any ContextEntry)? {
    part(of: number).locked { $0.entry(for: number) }
  }

  static func remove(_ number: UInt) {
    // The entry holds the user's captures, so it is released here, after unlocking.
    _ = part(of: number).extract { $0.remove(number) }
  }

  /// The number of closures from a call site that C may still call. For tests.
  package static func count(at callSite: CallSite) -> Int {
    parts.reduce(0) { $0 + $1.locked { $0.count(at: callSite) } }
  }

  private static func part(of number: UInt) -> Locked<ContextEntries> {
    parts[Int(number % partCount)]
  }
}

/// The entries of one part, as a value type without a lock.
package struct ContextEntries: Sendable {
  private var entries: [UInt: any ContextEntry] = [:]
  private var lastNumber: UInt
  private let step: UInt

  /// The numbers are `first` plus multiples of `step`, which is a power of two.
  package init(first: UInt, step: UInt) {
    lastNumber = first
    self.step = step
  }

  /// Numbers are not reused, so a late call finds no other entry. 32-bit ones wrap around after
  /// about 270 million.
  package mutating func add(_ entry: any ContextEntry) -> UInt {
    repeat { lastNumber &+= step } while lastNumber == 0 || entries[lastNumber] != nil
    entries[lastNumber] = entry
    return lastNumber
  }

  package mutating func entry(for number: UInt) -> (any ContextEntry)? {
    guard let entry = entries[number] else { return nil }
    return entry.isRepeating ? entry : remove(number)
  }

  package mutating func remove(_ number: UInt) -> (any ContextEntry)? {
    entries.index(forKey: number).map { entries.removeAndShrink(at: $0).value }
  }

  package func count(at callSite: CallSite) -> Int {
    entries.values.count { $0.callSite == callSite }
  }
}
