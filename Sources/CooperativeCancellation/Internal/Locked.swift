#if canImport(Darwin) || LOCK_BUFFER || THREAD_SANITIZER

  /// The library's lock: a value that one thread at a time may access.
  @usableFromInline
  package typealias Locked = LockedObject

#else

  public import Synchronization

  /// The library's lock: a value that one thread at a time may access.
  ///
  /// Part of the object that contains it, which saves an allocation where the system has a `Mutex`. The members have
  /// their own names, so that only this file and `LockBuffer.swift` import `Synchronization`. A structure around the
  /// `Mutex` would cost another type lookup in unspecialized code.
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

    /// See ``LockedObject/locked(mayBlock:_:)``.
    package func locked<Result>(
      mayBlock: Bool,
      _ body: (inout sending Value) -> sending Result
    ) -> sending Result? {
      mayBlock ? locked(body) : withLockIfAvailable(body)
    }

    /// See ``LockedObject/extract(_:)``.
    @inlinable
    package func extract<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result
    {
      let result = locked(body)
      withExtendedLifetime(result) {}
      return result
    }
  }

#endif
