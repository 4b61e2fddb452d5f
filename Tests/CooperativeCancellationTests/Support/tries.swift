import Foundation

/// Whether the tests were built without optimization, where the searches take a smaller cast.
#if DEBUG
  let isDebug = true
#else
  let isDebug = false
#endif

/// How often to try what shows only in large numbers: `count` times in an optimized build, a
/// twentieth of that with a sanitizer, a hundredth in debug, for `swift test`. `TRIES=10` in the
/// environment tries ten times as often.
func tries(_ count: Int) -> Int {
  let factor = environmentCount("TRIES").map(Int.init) ?? 1
  #if THREAD_SANITIZER || ADDRESS_SANITIZER
    return count / 20 * factor
  #elseif DEBUG
    return count / 100 * factor
  #else
    return count * factor
  #endif
}

/// Reads a number from the environment of the tests.
func environmentCount(_ variable: String) -> UInt64? {
  ProcessInfo.processInfo.environment[variable].map { text in
    guard let number = UInt64(text) else { fatalError("\(variable) is not a number: \(text)") }
    return number
  }
}
