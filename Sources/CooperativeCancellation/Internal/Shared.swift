/// A reference to a noncopyable value.
///
/// The class is generic over its contents for speed. Unspecialized code must release it without knowing its type. If
/// the class were generic over `Value` and stored a `Mutex<State<Value>>`, that code would look up both types each
/// time. The type of the contents is part of the class's own type.
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
