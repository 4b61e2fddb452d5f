#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#endif

/// The processor time that this process has used, in seconds. Infinity where the system does not report it.
func processorTime() -> Double {
  #if canImport(Darwin)
    return Double(clock_gettime_nsec_np(CLOCK_PROCESS_CPUTIME_ID)) / 1e9
  #elseif canImport(Glibc)
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  #else
    return .infinity
  #endif
}
