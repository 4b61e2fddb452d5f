/// The id of a task in a ``TaskBag``, and where the task was added.
///
/// Hashing, comparing and releasing a value run the user's code, which must not run under a lock. The hash is
/// therefore computed once. Under its lock, a registry uses only the hashes and the identity of these objects.
@usableFromInline
package protocol AnyID: AnyObject, Sendable {
  var hash: Int { get }
  var callSite: CallSite { get }
  var anyValue: any Hashable & Sendable { get }

  /// Whether the other id has the same type and an equal value. `"x"` and `Optional("x")` are different ids.
  func equals(_ other: any AnyID) -> Bool
}

@_fixed_layout
@usableFromInline
package final class HashedID<Value: Hashable & Sendable>: AnyID {
  @usableFromInline package let hash: Int
  @usableFromInline let value: Value
  @usableFromInline package let callSite: CallSite

  @_alwaysEmitIntoClient
  package init(_ value: Value, at callSite: CallSite = CallSite()) {
    self.value = value
    self.callSite = callSite
    // Not `hashValue`: if the type has one of its own, the low bits, which pick a list, may be the same for all ids.
    var hasher = Hasher()
    hasher.combine(value)
    hash = hasher.finalize()
  }

  @usableFromInline package var anyValue: any Hashable & Sendable { value }

  @usableFromInline
  package func equals(_ other: any AnyID) -> Bool {
    guard hash == other.hash else { return false }
    if let other = other as? HashedID<Value> { return value == other.value }
    // An object may have been passed as its superclass. The types are compared first, because a cast also unwraps
    // optionals and accepts subclasses.
    let other = other.anyValue
    return type(of: other) == type(of: anyValue) && other as? Value == value
  }
}
