/// The id of a task in a ``TaskBag``, or of a call in ``PendingCalls``.
///
/// Hashing, comparing and releasing a value run the user's code, which must not run under a lock. The hash is
/// therefore computed once. Under its lock, a registry uses only the hashes and the identity of these objects.
// `@_fixed_layout` allows the inlined `init` in a build with library evolution.
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

  /// Whether the other id has the same type and an equal value. `"x"` and `Optional("x")` are different ids.
  package func equals(_ other: AnyID) -> Bool {
    hash == other.hash && value.isOfSameTypeAndEqual(to: other.value)
  }

  /// Whether the id has that value, if all ids have the same type.
  @inlinable
  package func equals<Value: Hashable>(_ other: Value) -> Bool {
    value as? Value == other
  }
}

extension Hashable {
  fileprivate func isOfSameTypeAndEqual(to other: any Hashable) -> Bool {
    // The types are compared first, because a cast also unwraps optionals and accepts subclasses.
    type(of: other) == type(of: self) && other as? Self == self
  }
}
