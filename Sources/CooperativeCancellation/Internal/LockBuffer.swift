// The system's lock, which is all that differs between systems. There is no `Mutex` before macOS 15; on Linux, a
// suspended call takes 2.8% more instructions with glibc's lock.

#if canImport(Darwin)

  public import Darwin

  @usableFromInline
  package typealias PlatformLock = os_unfair_lock

  // Safe, because the lock has one address, that of ``LockBuffer``'s header, and `create` comes first.
  extension UnsafeMutablePointer<os_unfair_lock> {
    @inlinable
    func create() { initialize(to: os_unfair_lock()) }

    @inlinable
    func lock() { os_unfair_lock_lock(self) }

    @inlinable
    func unlock() { os_unfair_lock_unlock(self) }

    func tryLock() -> Bool { os_unfair_lock_trylock(self) }
  }

#elseif LOCK_BUFFER || THREAD_SANITIZER

  // A stand-in for Apple's lock, also for the thread sanitizer, which on Linux does not see that threads wait for each
  // other's `Mutex` (Swift 6.3.1).
  public import Glibc

  @usableFromInline
  package typealias PlatformLock = pthread_mutex_t

  // Safe, because the lock has one address, that of ``LockBuffer``'s header, and `create` comes first.
  extension UnsafeMutablePointer<pthread_mutex_t> {
    @inlinable
    func create() { initialize(to: pthread_mutex_t()) }

    @inlinable
    func lock() { pthread_mutex_lock(self) }

    @inlinable
    func unlock() { pthread_mutex_unlock(self) }

    func tryLock() -> Bool { pthread_mutex_trylock(self) == 0 }
  }

#else

  public import Synchronization

  /// Room for a `Mutex`, which cannot be a buffer's header itself, because it is noncopyable.
  @frozen
  @usableFromInline
  package struct PlatformLock: BitwiseCopyable {
    @usableFromInline let room: UInt64 = 0

    @inlinable
    init() {}
  }

  // Safe, because the lock has one address, that of ``LockBuffer``'s header, and `create` comes first: it creates a
  // `Mutex` in the room, which is large enough and aligned. The thread that locks also unlocks.
  extension UnsafeMutablePointer<PlatformLock> {
    @inlinable
    func create() {
      precondition(
        MemoryLayout<Mutex<Void>>.size <= MemoryLayout<PlatformLock>.size
          && MemoryLayout<Mutex<Void>>.alignment <= MemoryLayout<PlatformLock>.alignment
      )
      UnsafeMutableRawPointer(self).initializeMemory(as: Mutex<Void>.self, to: Mutex(()))
    }

    @inlinable
    func lock() { mutex.pointee._unsafeLock() }

    @inlinable
    func unlock() { mutex.pointee._unsafeUnlock() }

    func tryLock() -> Bool { mutex.pointee._unsafeTryLock() }

    @inlinable
    var mutex: UnsafeMutablePointer<Mutex<Void>> {
      UnsafeMutableRawPointer(self).assumingMemoryBound(to: Mutex<Void>.self)
    }
  }

#endif

/// One object that contains a lock and the value that it protects.
///
/// Apart from ``Sent`` and one line of ``CallbackContext``, this is the only code in the library that the compiler cannot
/// check. It is safe for these reasons:
///
/// - The lock never moves. It is the header of a `ManagedBuffer`, inside the object, and is accessed only through the
///   buffer's pointer. The pointer is valid until the object is released, and `locked` keeps the object alive until
///   after the unlock. For a `Mutex`, the header is only memory: nothing reads or writes it as a header.
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
      // The lock does not need to be destroyed: on each system, it contains only numbers.
      _ = value.deinitialize(count: 1)
    }
  }
}

/// A reference to one object that contains a lock and the value that it protects. On all systems, these are the core of
/// each waiting call.
///
/// ``LockBuffer`` explains why this is safe. `@unchecked`, because a subclass of `ManagedBuffer` cannot be `Sendable`.
@frozen
@usableFromInline
package struct LockedObject<Value: ~Copyable>: @unchecked Sendable {
  @usableFromInline let buffer: ManagedBuffer<PlatformLock, Value>

  @inlinable
  @inline(__always)
  package init(initially value: consuming sending Value) {
    self.init(value, in: LockBuffer<Value>.self)
  }

  @inlinable
  @inline(__always)
  init(_ value: consuming sending Value, in class: ManagedBuffer<PlatformLock, Value>.Type) {
    buffer = `class`.create(minimumCapacity: 1) { _ in PlatformLock() }
    let (lock, place) = pointers
    lock.create()
    place.initialize(to: value)
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

  /// Returns `nil` if the lock is held and this must not block.
  package func locked<Result>(
    mayBlock: Bool,
    _ body: (inout sending Value) -> sending Result
  ) -> sending Result? {
    let (lock, value) = pointers
    if mayBlock { lock.lock() } else if !lock.tryLock() { return nil }
    defer {
      lock.unlock()
      withExtendedLifetime(buffer) {}
    }
    return body(&value.pointee)
  }

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

  // The pointers leave the closure, but stay valid while the buffer lives: what they point to is inside the object.
  @inlinable
  @inline(__always)
  var pointers: (lock: UnsafeMutablePointer<PlatformLock>, value: UnsafeMutablePointer<Value>) {
    buffer.withUnsafeMutablePointers { ($0, $1) }
  }
}

extension LockedObject where Value: SharedContents {
  /// The value is notified when the last reference is released.
  @inlinable
  init(shared value: consuming sending Value) {
    self.init(value, in: SharedBuffer<Value>.self)
  }

  /// Casts a reference to its type.
  @inlinable
  @inline(__always)
  init?(_ erased: consuming AnyShared) {
    guard let buffer = erased.object as? SharedBuffer<Value> else { return nil }
    self.buffer = buffer
  }

  @inlinable
  var erased: AnyShared { AnyShared(self) }
}

/// A reference to any object, to be cast. `@unchecked`, because the stored type does not say `Sendable`; both
/// initializers require it.
@frozen
@usableFromInline
package struct AnyShared: @unchecked Sendable {
  @usableFromInline let object: AnyObject

  @inlinable
  init(_ object: some AnyObject & Sendable) {
    self.object = object
  }

  @inlinable
  init<Contents>(_ shared: LockedObject<Contents>) {
    object = shared.buffer
  }
}

/// The library's lock: a value that one thread at a time may access.
@usableFromInline
package typealias Locked = LockedObject
