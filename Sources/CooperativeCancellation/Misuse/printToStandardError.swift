#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#elseif canImport(Android)
  private import Android
#endif

/// Writes a line with `write(2)`: the `stderr` variable of C is not usable in language mode 6 on Linux.
func printToStandardError(_ line: String) {
  var bytes = Array((line + "\n").utf8)
  while !bytes.isEmpty {
    let written = write(2, bytes, bytes.count)
    guard written > 0 else { return }  // Nobody is there to be told.
    bytes.removeFirst(written)
  }
}
