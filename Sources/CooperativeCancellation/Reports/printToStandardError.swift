/// Prints a line to standard error. Returns whether all of it was written.
///
/// It runs on the SDK's threads, where a write to a pipe could wait for the reader or, without a
/// reader, end the process. In these cases, it drops the line.
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
