#if LOCK_BUFFER || canImport(Darwin)

  #if canImport(Darwin)
    public import Darwin

    @usableFromInline
    package typealias PlatformLock = os_unfair_lock

    extension os_unfair_lock {
      @inlinable
      static var unlocked: os_unfair_lock { os_unfair_lock() }
    }

    extension UnsafeMutablePointer<os_unfair_lock> {
      @inlinable
      func lock() { os_unfair_lock_lock(self) }

      @inlinable
      func unlock() { os_unfair_lock_unlock(self) }
    }
  #else
    // Tests the lock of Apple's platforms on Linux: `swift test -Xswiftc -DLOCK_BUFFER`.
    public import Glibc

    @usableFromInline
    package typealias PlatformLock = pthread_mutex_t

    extension pthread_mutex_t {
      @inlinable
      static var unlocked: pthread_mutex_t { pthread_mutex_t() }
    }

    extension UnsafeMutablePointer<pthread_mutex_t> {
      @inlinable
      func lock() { pthread_mutex_lock(self) }

      @inlinable
      func unlock() { pthread_mutex_unlock(self) }
    }
  #endif

  /// One object that contains a lock and the value that it protects, for systems without `Mutex`.
  ///
  /// Apart from one line of ``CallbackContext``, this is the only code in the library that the compiler cannot check.
  /// It is safe for these reasons:
  ///
  /// - The lock never moves. It is the header of a `ManagedBuffer`, inside the object, and is accessed only through
  ///   the buffer's pointer. The pointer is valid until the object is released, and `locked` keeps the object alive
  ///   until after the unlock.
  /// - The value is initialized once, before other code has a reference to the object, and destroyed once, by
  ///   `deinit`. In between, only `locked` accesses it, under the lock.
  /// - Values go in and come out as `sending`, as with `Mutex`, so no other code shares them.
  @_fixed_layout
  @usableFromInline
  package final class LockBuffer<Value: ~Copyable>: ManagedBuffer<PlatformLock, Value> {
    @inlinable
    deinit {
      destroy()
    }
  }

  /// A lock buffer that notifies its contents when the last reference is released.
  @_fixed_layout
  @usableFromInline
  final class SharedBuffer<Contents: SharedContents & ~Copyable>:
    ManagedBuffer<PlatformLock, Contents>
  {
    // No other reference is left, so this takes no lock.
    @inlinable
    deinit {
      withUnsafeMutablePointerToElements { $0.pointee.lastReferenceWasReleased() }
      destroy()
    }
  }

  extension ManagedBuffer where Header == PlatformLock, Element: ~Copyable {
    /// Destroys the value, in the `deinit` of a subclass.
    @inlinable
    func destroy() {
      withUnsafeMutablePointerToElements { value in
        // Neither lock needs to be destroyed: `os_unfair_lock` and glibc's `pthread_mutex_t` contain only numbers.
        _ = value.deinitialize(count: 1)
      }
    }
  }

  /// A reference to a ``LockBuffer``, which explains why this is safe. `@unchecked`, because a subclass of
  /// `ManagedBuffer` cannot be `Sendable`.
  @frozen
  @usableFromInline
  package struct Locked<Value: ~Copyable>: @unchecked Sendable {
    @usableFromInline let buffer: ManagedBuffer<PlatformLock, Value>

    @inlinable
    @inline(__always)
    package init(initially value: consuming sending Value) {
      self.init(value, in: LockBuffer<Value>.self)
    }

    @inlinable
    @inline(__always)
    init(_ value: consuming sending Value, in class: ManagedBuffer<PlatformLock, Value>.Type) {
      buffer = `class`.create(minimumCapacity: 1) { _ in .unlocked }
      pointers.value.initialize(to: value)
    }

    @inlinable
    init(_ buffer: ManagedBuffer<PlatformLock, Value>) {
      self.buffer = buffer
    }

    /// The address of the lock.
    package var id: UInt { UInt(bitPattern: pointers.lock) }

    @inlinable
    @inline(__always)
    package func locked<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      let (lock, value) = pointers
      lock.lock()
      defer {
        lock.unlock()
        withExtendedLifetime(buffer) {}
      }
      return try body(&value.pointee)
    }

    @inlinable
    @inline(__always)
    var pointers: (lock: UnsafeMutablePointer<PlatformLock>, value: UnsafeMutablePointer<Value>) {
      buffer.withUnsafeMutablePointers { ($0, $1) }
    }
  }

  /// A ``Locked`` with any type of value, or a ``Carrier``, which is `Sendable`. `@unchecked` for the same reason.
  @frozen
  @usableFromInline
  package struct AnyLocked: @unchecked Sendable {
    @usableFromInline let buffer: AnyObject

    @inlinable
    init(buffer: AnyObject) {
      self.buffer = buffer
    }
  }

#endif
