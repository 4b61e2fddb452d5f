#if !LOCK_BUFFER && !canImport(Darwin)

  public import Synchronization

  #if !THREAD_SANITIZER

    /// The library's lock: a value that one thread at a time may access.
    ///
    /// Apple systems before macOS 15 have no `Mutex`; `LockBuffer.swift` contains their lock. The members have their
    /// own names, so that only this file imports `Synchronization`. A structure around the `Mutex` would cost another
    /// type lookup in code that is not specialized.
    @usableFromInline
    package typealias Locked = Mutex

    extension Mutex where Value: ~Copyable {
      @inlinable
      @inline(__always)
      package init(initially value: consuming sending Value) {
        self.init(value)
      }

      @inlinable
      @inline(__always)
      package func locked<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
      ) throws(Failure) -> sending Result {
        try withLock(body)
      }
    }

  #else

    /// The library's lock for the thread sanitizer.
    ///
    /// On Linux, the standard library's code that waits for a `Mutex` is compiled without the sanitizer, which then
    /// reports each contended access as a race (Swift 6.3.1). Here, each holder also reads an atomic that the
    /// previous holder wrote.
    @usableFromInline
    package struct Locked<Value: ~Copyable>: ~Copyable, Sendable {
      @usableFromInline let mutex: Mutex<Value>
      @usableFromInline let holder = Atomic<Bool>(false)

      @inlinable
      package init(initially value: consuming sending Value) {
        mutex = Mutex(value)
      }

      @inlinable
      package func locked<Result: ~Copyable, Failure: Error>(
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

#endif

extension Locked where Value: ~Copyable {
  /// Like `locked`, but releases the result only after unlocking, because a release may run the user's code.
  ///
  /// Otherwise, the optimizer may release an unused result before the unlock, as Swift 6.3.1 does. A result that is
  /// used after the unlock does not need this.
  @inlinable
  package func extract<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    let result = locked(body)
    withExtendedLifetime(result) {}
    return result
  }
}
