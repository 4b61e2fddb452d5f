/// What a task of a ``TaskBag`` is found by.
///
/// Its type counts: `1` and `"1"`, and also `"x"` and `Optional("x")`, are different ids. To hash and to
/// compare is the user's code, and so is what happens when the last copy of a value is released: none of it
/// is for under a lock. So the hash is taken once, and a registry, which is under a lock, compares the
/// identity of these objects instead of the values in them.
@usableFromInline
package final class TaskID: Sendable {
  package let hash: Int
  private let value: any Hashable & Sendable

  @usableFromInline
  package init(_ value: some Hashable & Sendable) {
    self.value = value
    hash = value.hashValue
  }

  /// Whether the other one has the same type and an equal value.
  package func equals(_ other: TaskID) -> Bool {
    hash == other.hash && value.isOfSameTypeAndEqual(to: other.value)
  }
}

extension Hashable {
  fileprivate func isOfSameTypeAndEqual(to other: any Hashable) -> Bool {
    // Asked first, because a cast also unwraps optionals and finds superclasses.
    type(of: other) == type(of: self) && other as? Self == self
  }
}
