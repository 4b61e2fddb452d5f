// The functions of the system's C library that reports need, with what differs between systems.
//
// They take pointers, so the compiler asks for `unsafe`. Each place says why it is safe.

#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Android)
  private import Android
#elseif canImport(WASILibc)
  private import WASILibc
#elseif os(Windows)
  private import ucrt
#endif

/// Returns the value of an environment variable, or `nil` if it is not set.
func environmentVariable(_ name: String) -> String? {
  // The text is copied at once. It is valid as long as no other thread sets a variable, which
  // programs do at launch, or never; there is no safer way to read one.
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

@usableFromInline func endProcess() -> Never { abort() }

#if os(Windows) || os(WASI)

  /// Writes some bytes to a file descriptor. Neither system has a signal for a pipe without a
  /// reader.
  @usableFromInline
  package func writeSome(
    _ bytes: ArraySlice<UInt8>,
    to descriptor: CInt,
    milliseconds _: CInt = 0
  ) -> Int? {
    #if os(Windows)
      let count = Int(_write(descriptor, Array(bytes), CUnsignedInt(bytes.count)))
    #else
      let count = write(descriptor, Array(bytes), bytes.count)
    #endif
    return count > 0 ? count : nil
  }

#else

  /// Writes some bytes to a file descriptor, unless it has no reader or the write would block for
  /// longer than these `milliseconds`. Returns how many, or `nil` if it cannot write.
  ///
  /// Not through C's `stderr`, which is not usable in language mode 6 on Linux.
  @usableFromInline
  package func writeSome(
    _ bytes: ArraySlice<UInt8>,
    to descriptor: CInt,
    milliseconds: CInt = 0
  ) -> Int? {
    // Safe: `poll` gets one element, as it is told, and `write` the length of the array.
    var target = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&target, 1, milliseconds) != 0 else { return nil }
    return withoutBrokenPipeSignal {
      let count = unsafe write(descriptor, Array(bytes), bytes.count)
      if count >= 0 { return count }
      // If a signal handler interrupted the write, the caller tries again.
      return errno == EINTR ? 0 : nil
    }
  }

  /// Runs `body`, and consumes the signal that this thread gets if `body` writes to a pipe without
  /// a reader.
  private func withoutBrokenPipeSignal(_ body: () -> Int?) -> Int? {
    // Safe: each function fills or reads the sets only while it runs, and each set is emptied or
    // filled before it is read.
    var broken = sigset_t()
    var before = sigset_t()
    var pending = sigset_t()
    unsafe sigemptyset(&broken)
    unsafe sigaddset(&broken, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &broken, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    // A signal that was already pending must stay pending.
    unsafe sigpending(&pending)
    let wasPending = unsafe sigismember(&pending, SIGPIPE) == 1
    let count = body()
    unsafe sigpending(&pending)
    if !wasPending, unsafe sigismember(&pending, SIGPIPE) == 1 {
      var signal: CInt = 0
      unsafe sigwait(&broken, &signal)
    }
    return count
  }

#endif
