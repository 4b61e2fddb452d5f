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
    // To test on Linux what Apple's platforms have: `swift test -Xswiftc -DLOCK_BUFFER`.
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

  /// One object for a lock and the value that it protects, for systems without `Mutex`.
  ///
  /// The one place of the library, besides a line of ``CallbackContext``, where the compiler cannot check what is
  /// claimed. Why it holds:
  ///
  /// - The lock never moves. It is the header of a `ManagedBuffer`, in the object itself, and is only ever touched
  ///   through the pointer that the buffer gives to it. That pointer stays the same for the buffer's life, which
  ///   `locked` extends until after the unlock.
  /// - The value is initialised once, before anybody else can have the object, and destroyed once, by `deinit`,
  ///   when nobody has it any more. In between it is only touched by `locked`, under the lock.
  /// - What goes in and what comes out is `sending`, as with `Mutex`: nothing of the value is shared with the
  ///   outside.
  @_fixed_layout
  @usableFromInline
  package final class LockBuffer<Value: ~Copyable>: ManagedBuffer<PlatformLock, Value> {
    @inlinable
    deinit {
      destroy()
    }
  }

  /// The same, for contents that are told when the last reference goes.
  @_fixed_layout
  @usableFromInline
  final class SharedBuffer<Contents: SharedContents & ~Copyable>:
    ManagedBuffer<PlatformLock, Contents>
  {
    // Nobody else has it any more, so it takes no lock.
    @inlinable
    deinit {
      withUnsafeMutablePointerToElements { $0.pointee.lastReferenceWasReleased() }
      destroy()
    }
  }

  extension ManagedBuffer where Header == PlatformLock, Element: ~Copyable {
    /// For the `deinit` of a subclass.
    @inlinable
    func destroy() {
      withUnsafeMutablePointerToElements { value in
        // Neither lock has anything to give back: an `os_unfair_lock` is a number, and so are all parts of glibc's
        // `pthread_mutex_t`.
        _ = value.deinitialize(count: 1)
      }
    }
  }

  /// A reference to a ``LockBuffer``. `@unchecked`, for a buffer's subclass cannot be `Sendable`; see there why it
  /// holds.
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

    /// Where it is.
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

  /// A ``Locked``, whatever its value is. `@unchecked` for the same reason.
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
