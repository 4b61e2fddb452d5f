import Foundation

/// A value under a lock.
///
/// Not a `Mutex`, because the thread sanitizer does not understand that one on Linux.
public final class Protected<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  public init(_ value: sending Value) { self.value = value }

  public func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
