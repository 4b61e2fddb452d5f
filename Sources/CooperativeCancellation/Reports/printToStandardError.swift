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

// What is marked as unsafe here are C's functions. They use the pointers to locals only during the
// call.

/// Prints a line to standard error. Returns whether all of it was written. It runs on the SDK's
/// threads, where a write to a pipe could wait for the reader or, without a reader, end the
/// process; then it drops the line. It uses `write(2)`, because C's `stderr` is not usable in
/// language mode 6 on Linux.
@discardableResult
package func printToStandardError(_ line: String) -> Bool {
  writeAll(Array((line + "\n").utf8)) { writeSome($0, to: 2) }
}

/// Writes bytes in steps. Returns whether all were written. `writeSome` returns how many, or `nil`
/// if it cannot write.
@usableFromInline
package func writeAll(_ bytes: [UInt8], with writeSome: (ArraySlice<UInt8>) -> Int?) -> Bool {
  // POSIX guarantees that a pipe that is ready accepts this many bytes without blocking.
  let most = 512
  var rest = ArraySlice(bytes)
  while !rest.isEmpty {
    guard let count = writeSome(rest.prefix(most)) else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

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
  @usableFromInline
  package func writeSome(
    _ bytes: ArraySlice<UInt8>,
    to descriptor: CInt,
    milliseconds: CInt = 0
  ) -> Int? {
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
