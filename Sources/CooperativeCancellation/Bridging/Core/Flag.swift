public import Synchronization

/// Something that happens once, and that others may look at without a lock.
///
/// Relaxed: it orders nothing else. Why not the atomic itself: a generic class that stores one destroys it
/// with code that is not specialised, and looks up its type each time. The `deinit` of a type that is not
/// generic, empty as it is, has the type built in.
@frozen
@usableFromInline
package struct Flag: ~Copyable, Sendable {
  @usableFromInline let value = Atomic<Bool>(false)

  @inlinable
  init() {}

  @inlinable
  deinit {}

  @inlinable
  var isRaised: Bool { value.load(ordering: .relaxed) }

  @inlinable
  func raise() {
    value.store(true, ordering: .relaxed)
  }
}
