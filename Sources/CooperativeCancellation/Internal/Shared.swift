/// A reference to something that cannot be copied.
///
/// Why it is generic over what it stores: a generic class is released by code that is not specialised. If it
/// stored a `Mutex<State<Value>>` and were generic over `Value`, that code would look up `State<Value>`,
/// `Mutex<State<Value>>` and so on in the runtime's tables each time. Generic over its contents, it finds
/// their type in its own.
// For its inlined `init` and `deinit`, where the library is built with library evolution.
@_fixed_layout
@usableFromInline
package final class Shared<Contents: SharedContents & ~Copyable>: Sendable {
  @usableFromInline package let contents: Contents

  @inlinable
  package init(_ contents: consuming Contents) {
    self.contents = contents
  }

  // Not a `deinit` of the contents: compiled with optimisation by Swift 6.3.1, a generic class does not
  // run the `deinit` of a generic structure that it stores.
  @inlinable
  deinit {
    contents.lastReferenceWasReleased()
  }
}

/// What a ``Shared`` reference can refer to.
@usableFromInline
package protocol SharedContents: ~Copyable, Sendable {
  func lastReferenceWasReleased()
}
