/// The library's lock: a reference to an object with a lock and a value, which one thread at a time
/// may access.
///
/// The compiler cannot check this code, ``Sent``, and what is marked `unsafe` elsewhere. This is
/// safe:
///
/// - The lock never moves. It is the header of a `ManagedBuffer`, and is accessed only through the
///   buffer's pointer, which is valid until the object is released; `locked` keeps it alive until
///   after the unlock.
/// - The value is initialized once, before other code has a reference to the object, and destroyed
///   once, by `deinit`. In between, only `locked` accesses it, under the lock.
/// - Values go in and come out as `sending`, as with `Mutex`, so no other code shares them.
///   `@unchecked`, because a subclass of `ManagedBuffer` cannot be `Sendable`.
@usableFromInline package struct Locked<Value: ~Copyable>: @unchecked Sendable {
  @usableFromInline package let buffer: ManagedBuffer<PlatformLock, Value>

  @_alwaysEmitIntoClient
  package init(initially value: consuming sending Value) {
    self.init(value, in: LockBuffer<Value>.self)
  }

  /// Creates the object as an instance of a given class, which can be one that is not generic, or
  /// one that notices its last release. The `deinit` of the class must call `destroy()`.
  @_alwaysEmitIntoClient
  package init(_ value: consuming sending Value, in class: ManagedBuffer<PlatformLock, Value>.Type)
  {
    buffer = `class`.create(minimumCapacity: 1) { _ in PlatformLock() }
    unsafe pointers.value.initialize(to: value)
  }

  /// The address of the lock.
  package var id: UInt { unsafe UInt(bitPattern: pointers.lock) }

  /// Runs `body` under the lock. The lock is not recursive, so `body` must not use this object. It
  /// must not run code of the user either, which might; only the `==` of ids is allowed to.
  @_alwaysEmitIntoClient
  @inline(__always)
  package func locked<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    let (lock, value) = unsafe pointers
    unsafe lock.lock()
    defer {
      unsafe lock.unlock()
      withExtendedLifetime(buffer) {}
    }
    return try unsafe body(&value.pointee)
  }

  /// Returns `nil` if the lock is held and this must not block.
  @_alwaysEmitIntoClient
  package func locked<Result>(
    mayBlock: Bool,
    _ body: (inout sending Value) -> sending Result
  ) -> sending Result? {
    let (lock, value) = unsafe pointers
    if mayBlock { unsafe lock.lock() } else if unsafe !lock.tryLock() { return nil }
    defer {
      unsafe lock.unlock()
      withExtendedLifetime(buffer) {}
    }
    return unsafe body(&value.pointee)
  }

  /// Like `locked`, but never releases the result before the unlock, as Swift 6.3.1 does with one
  /// that is not used, because a release may run the user's code.
  @_alwaysEmitIntoClient
  package func extract<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
    let result = locked(body)
    withExtendedLifetime(result) {}
    return result
  }

  // The pointers leave the closure, but stay valid while the buffer lives, because what they point
  // to is inside the object.
  @_alwaysEmitIntoClient
  package var pointers:
    (lock: UnsafeMutablePointer<PlatformLock>, value: UnsafeMutablePointer<Value>)
  {
    unsafe buffer.withUnsafeMutablePointers { unsafe ($0, $1) }
  }
}

extension Locked where Value: Sendable {
  /// Replaces the value. Returns the old one, and does not release it before the unlock.
  package func exchange(for new: Value) -> Value {
    extract { value in
      defer { value = new }
      return value
    }
  }
}

@usableFromInline
package final class LockBuffer<Value: ~Copyable>: ManagedBuffer<PlatformLock, Value> {
  @inlinable
  deinit { destroy() }
}

extension ManagedBuffer where Header == PlatformLock, Element: ~Copyable {
  /// Destroys the value, which `ManagedBuffer` leaves to its subclasses. Only for their `deinit`:
  /// no other reference to the object exists, so this takes no lock.
  @_alwaysEmitIntoClient
  package func destroy() {
    unsafe withUnsafeMutablePointerToElements { value in
      _ = unsafe value.deinitialize(count: 1)
    }
  }
}

// MARK: Notice of the last release

/// Contents that are told of their buffer's last release. `~Copyable`, so that unspecialized code
/// never copies them.
@usableFromInline package protocol SharedContents: ~Copyable, Sendable {
  func lastReferenceWasReleased()
}

@usableFromInline
package final class SharedBuffer<Contents: SharedContents & ~Copyable>:
  ManagedBuffer<PlatformLock, Contents>
{
  // No other reference is left, so this takes no lock.
  @inlinable
  deinit {
    unsafe withUnsafeMutablePointerToElements { unsafe $0.pointee.lastReferenceWasReleased() }
    destroy()
  }
}

extension Locked where Value: SharedContents {
  @_alwaysEmitIntoClient
  package init(shared value: consuming sending Value) {
    self.init(value, in: SharedBuffer<Value>.self)
  }

  @_alwaysEmitIntoClient
  package var erased: AnyReply { AnyReply(self) }
}

extension Locked {
  /// Returns `nil` if the object is not a `Buffer`.
  @_alwaysEmitIntoClient
  package init?<Buffer: ManagedBuffer<PlatformLock, Value>>(
    _ erased: consuming AnyReply,
    in _: Buffer.Type
  ) {
    guard let buffer = erased.object as? Buffer else { return nil }
    self.buffer = buffer
  }
}

/// The buffer of a `Reply`, whose answer has a type that the wait does not know. `@unchecked`,
/// because `AnyObject` does not say that it came from a `Locked`, which is `Sendable`.
@usableFromInline package struct AnyReply: @unchecked Sendable {
  @usableFromInline package let object: AnyObject

  @_alwaysEmitIntoClient
  package init<Contents>(_ shared: Locked<Contents>) { object = shared.buffer }
}
