// The system's lock, which is all that differs between systems. Not `Mutex`, which needs macOS 15 and cannot be the
// header of an object. On each system, the lock contains only numbers, so it needs no `deinit`.

#if canImport(Darwin)
  public import Darwin

  @usableFromInline
  package typealias PlatformLock = os_unfair_lock
#elseif os(Windows)
  public import WinSDK

  @usableFromInline
  package typealias PlatformLock = SRWLOCK
#elseif os(WASI) && !canImport(wasi_pthread)
  /// There is one thread.
  @frozen
  @usableFromInline
  package struct PlatformLock: BitwiseCopyable {
    @inlinable
    init() {}
  }
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

  @usableFromInline
  package typealias PlatformLock = pthread_mutex_t
#endif

extension PlatformLock {
  @inlinable
  static var unlocked: PlatformLock { PlatformLock() }
}

// Safe, because the lock has one address, that of an object's header.
extension UnsafeMutablePointer<PlatformLock> {
  @inlinable
  func lock() {
    #if canImport(Darwin)
      os_unfair_lock_lock(self)
    #elseif os(Windows)
      AcquireSRWLockExclusive(self)
    #elseif !os(WASI) || canImport(wasi_pthread)
      pthread_mutex_lock(self)
    #endif
  }

  @inlinable
  func unlock() {
    #if canImport(Darwin)
      os_unfair_lock_unlock(self)
    #elseif os(Windows)
      ReleaseSRWLockExclusive(self)
    #elseif !os(WASI) || canImport(wasi_pthread)
      pthread_mutex_unlock(self)
    #endif
  }

  func tryLock() -> Bool {
    #if canImport(Darwin)
      os_unfair_lock_trylock(self)
    #elseif os(Windows)
      TryAcquireSRWLockExclusive(self) != 0
    #elseif os(WASI) && !canImport(wasi_pthread)
      true
    #else
      pthread_mutex_trylock(self) == 0
    #endif
  }
}
