public import CooperativeCancellation

/// The id of a task in a ``TaskBag``, and where the task was added. The type of the id counts: `1`
/// and `"1"` are different ids, and so are `"x"` and `Optional("x")`.
///
/// A class, because a table of existentials costs a call of a witness for each copy.
@usableFromInline package final class BagID: Hashable, Sendable {
  package let value: any Hashable & Sendable
  let callSite: CallSite
  /// Computed once, without a lock.
  private let hash: Int

  @usableFromInline
  package init(_ value: some Hashable & Sendable, at callSite: CallSite = CallSite()) {
    self.value = value
    self.callSite = callSite
    // Not `hashValue`, because a type may have one of its own that is the same for many ids.
    var hasher = Hasher()
    hasher.combine(value)
    hash = hasher.finalize()
  }

  @usableFromInline package static func == (left: BagID, right: BagID) -> Bool {
    left === right || left.hash == right.hash && left.value.equals(right.value)
  }

  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Hashable {
  /// The types are compared first, because a cast also unwraps optionals and accepts subclasses.
  fileprivate func equals(_ other: any Hashable) -> Bool {
    type(of: other) == type(of: self) && other as? Self == self
  }
}
