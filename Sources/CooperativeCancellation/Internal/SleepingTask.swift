/// A sleeping task, to be woken once.
///
/// This type exists for speed. The size of a `CheckedContinuation` is unknown outside the standard library, so a type
/// that stores one has no known layout; an existential has one. A noncopyable structure is moved word by word,
/// whereas an optional existential is moved through its type's witness table.
@frozen
@usableFromInline
package struct SleepingTask: ~Copyable, Sendable {
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
