#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Android)
  private import Android
#endif

/// The seconds that all threads of this process have computed, together. Infinity where the system does not tell.
func processorTime() -> Double {
  #if canImport(Darwin) || canImport(Glibc) || canImport(Musl) || canImport(Android)
    var time = timespec()
    if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
  #endif
  return .infinity
}
