/// The id of a task in a ``TaskBag``, or of a call in ``PendingCalls``.
///
/// Hashing, comparing and releasing a value run the user's code, which must not run under a lock. The hash is
/// therefore computed once. Under its lock, a registry uses only the hashes and the identity of these objects.
@usableFromInline
package protocol AnyID: AnyObject, Sendable {
  var hash: Int { get }

  /// Whether the other id has the same type and an equal value. `"x"` and `Optional("x")` are different ids.
  func equals(_ other: any AnyID) -> Bool
}

/// An id of a known type.
// `@_fixed_layout` allows the inlined `init` in a build with library evolution.
@_fixed_layout
@usableFromInline
package final class HashedID<Value: Hashable & Sendable>: AnyID {
  @usableFromInline package let hash: Int
  @usableFromInline let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
    hash = value.hashValue
  }

  @inlinable
  package func equals(_ other: any AnyID) -> Bool {
    guard let other = other as? HashedID<Value> else { return false }
    return hash == other.hash && value == other.value
  }
}
