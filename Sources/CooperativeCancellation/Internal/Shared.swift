/// A reference to a noncopyable value.
///
/// Generic over all of its contents: unspecialized code, which releases it, looks up no type but the class's own.
// `@_fixed_layout` allows the inlined `init` and `deinit` in a build with library evolution.
@_fixed_layout
@usableFromInline
package final class Shared<Contents: SharedContents & ~Copyable>: Sendable {
  @usableFromInline package let contents: Contents

  @inlinable
  package init(_ contents: consuming Contents) {
    self.contents = contents
  }

  // The contents have no `deinit` of their own: in optimized code of Swift 6.3.1, a generic class does not run the
  // `deinit` of a generic structure that it stores.
  @inlinable
  deinit {
    contents.lastReferenceWasReleased()
  }
}

/// The contents of a ``Shared`` reference, or the value of a ``LockedObject``, which is told when the last reference is
/// released.
@usableFromInline
package protocol SharedContents: ~Copyable, Sendable {
  func lastReferenceWasReleased()
}
