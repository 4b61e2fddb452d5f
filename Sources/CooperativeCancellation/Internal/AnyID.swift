/// What a task of a ``TaskBag``, or a call of ``PendingCalls``, is found by.
///
/// To hash and to compare is the user's code, and so is what happens when the last copy of a value is released:
/// none of it is for under a lock. So the hash is taken once, and a registry, which is under a lock, looks at hashes
/// and at the identity of these objects instead of the values in them.
// For its inlined `init`, where the library is built with library evolution.
@_fixed_layout
@usableFromInline
package final class AnyID: Sendable {
  @usableFromInline package let hash: Int
  @usableFromInline let value: any Hashable & Sendable

  @inlinable
  package init(_ value: some Hashable & Sendable) {
    self.value = value
    hash = value.hashValue
  }

  /// Whether the other one has the same type and an equal value: `1` and `"1"`, and also `"x"` and `Optional("x")`,
  /// are different ids.
  package func equals(_ other: AnyID) -> Bool {
    hash == other.hash && value.isOfSameTypeAndEqual(to: other.value)
  }

  /// Whether it has that value, where all have the same type.
  @inlinable
  package func equals<Value: Hashable>(_ other: Value) -> Bool {
    value as? Value == other
  }
}

extension Hashable {
  fileprivate func isOfSameTypeAndEqual(to other: any Hashable) -> Bool {
    // Asked first, because a cast also unwraps optionals and finds superclasses.
    type(of: other) == type(of: self) && other as? Self == self
  }
}
