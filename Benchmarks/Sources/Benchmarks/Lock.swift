/// The lock that the library was built with.
enum Lock {
  #if LOCK_BUFFER
    static let isBuffer = true
  #else
    static let isBuffer = false
  #endif

  /// The rows that count are in the documentation for both locks.
  static let suffix = isBuffer ? ", Apple's lock" : ""
}
