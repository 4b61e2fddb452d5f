/// A task that sleeps. It is woken once.
///
/// A matter of speed: the size of a `CheckedContinuation` is not known outside the standard library, so that
/// nothing which stores one has a known layout. What is erased has. And what cannot be copied is moved word by
/// word, where an optional of the erased would be moved by way of its type's table.
@frozen
@usableFromInline
package struct Sleeper: ~Copyable, Sendable {
  @usableFromInline let continuation: any ErasedContinuation

  @inlinable
  init(_ continuation: any ErasedContinuation) {
    self.continuation = continuation
  }

  @inlinable
  consuming func wake() { continuation.resume() }
}

@usableFromInline
package protocol ErasedContinuation: Sendable {
  func resume()
}

extension CheckedContinuation<Void, Never>: ErasedContinuation {}
