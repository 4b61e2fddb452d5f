// The system's lock, which is all that differs between systems. Not `Mutex`, which needs macOS 15
// and cannot be the header of an object. On each system, the lock contains only numbers, so it
// needs no `deinit`.

#if canImport(Darwin)
  public import Darwin

  @usableFromInline package typealias SystemLock = os_unfair_lock
#elseif os(Windows)
  public import WinSDK

  @usableFromInline package typealias SystemLock = SRWLOCK
#elseif os(WASI) && !canImport(wasi_pthread)
  // There is one thread.
  @usableFromInline package typealias SystemLock = UInt8
#else
  #if canImport(Glibc)
    public import Glibc
  #elseif canImport(Musl)
    public import Musl
  #elseif canImport(Android)
    public import Android
  #else
    public import WASILibc
    public import wasi_pthread
  #endif

  @usableFromInline package typealias SystemLock = pthread_mutex_t
#endif

@safe
@usableFromInline package struct PlatformLock {
  @usableFromInline package let system: SystemLock

  @_alwaysEmitIntoClient
  package init() {
    #if canImport(Darwin)
      system = SystemLock()
    #else
      unsafe system = SystemLock()
    #endif
  }
}

// Safe, because the lock has one address, that of an object's header, and its only part has the
// same.
extension UnsafeMutablePointer<PlatformLock> {
  @_alwaysEmitIntoClient
  package var system: UnsafeMutablePointer<SystemLock> {
    unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: SystemLock.self)
  }

  @_alwaysEmitIntoClient
  package func lock() {
    #if canImport(Darwin)
      unsafe os_unfair_lock_lock(system)
    #elseif os(Windows)
      unsafe AcquireSRWLockExclusive(system)
    #elseif !os(WASI) || canImport(wasi_pthread)
      unsafe pthread_mutex_lock(system)
    #endif
  }

  @_alwaysEmitIntoClient
  package func unlock() {
    #if canImport(Darwin)
      unsafe os_unfair_lock_unlock(system)
    #elseif os(Windows)
      unsafe ReleaseSRWLockExclusive(system)
    #elseif !os(WASI) || canImport(wasi_pthread)
      unsafe pthread_mutex_unlock(system)
    #endif
  }

  @_alwaysEmitIntoClient
  package func tryLock() -> Bool {
    #if canImport(Darwin)
      unsafe os_unfair_lock_trylock(system)
    #elseif os(Windows)
      unsafe TryAcquireSRWLockExclusive(system) != 0
    #elseif !os(WASI) || canImport(wasi_pthread)
      unsafe pthread_mutex_trylock(system) == 0
    #else
      true
    #endif
  }
}
