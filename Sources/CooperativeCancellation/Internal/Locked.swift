public import Synchronization

#if !THREAD_SANITIZER

  /// The lock of this library.
  @usableFromInline
  package typealias Locked = Mutex

#else

  /// The lock of this library, as the thread sanitizer can see it.
  ///
  /// On Linux, the part of `Mutex` that waits for another thread is compiled into the standard library
  /// without the sanitizer, which then takes every contended access for a race (Swift 6.3.1). Here, each
  /// holder of the same `Mutex` also reads what the one before wrote.
  @usableFromInline
  package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>
    @usableFromInline let holder = Atomic<Bool>(false)

    @inlinable
    package init(_ value: consuming sending Value) {
      mutex = Mutex(value)
    }

    @inlinable
    package func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock { value throws(Failure) in
        _ = holder.load(ordering: .acquiring)
        defer { holder.store(false, ordering: .releasing) }
        return try body(&value)
      }
    }
  }

#endif

extension Locked where Value: ~Copyable {
  /// As `withLock`, for what may run somebody else's code when it is released: not before unlocking.
  ///
  /// A result that nobody uses is otherwise the optimiser's to release where it likes, also before the unlock
  /// (Swift 6.3.1 does). What is used after the unlock needs no such care.
  @inlinable
  package func extract<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    let result = withLock(body)
    withExtendedLifetime(result) {}
    return result
  }
}
