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

// `unsafe`, because C returns a pointer. The text is copied at once, and is valid as long as no
// other thread sets variables: at launch, or never.

/// Returns the value of an environment variable if it is a positive number, and prints a line if it
/// is anything else.
func environmentNumber(_ name: String) -> Double? {
  guard let text = unsafe getenv(name).map({ unsafe String(cString: $0) }), !text.isEmpty else {
    return nil
  }
  if let number = Double(text), number > 0, number.isFinite { return number }
  printToStandardError(
    "CooperativeCancellation: \(name) is \"\(text)\", not a positive number of seconds, and is ignored"
  )
  return nil
}
