#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#endif

/// The processor time that this process has used, in seconds. Infinity where the system does not
/// report it.
func processorTime() -> Double {
  #if canImport(Darwin) || canImport(Glibc)
    return Double(clock()) / 1e6  // POSIX counts microseconds.
  #else
    return .infinity
  #endif
}
