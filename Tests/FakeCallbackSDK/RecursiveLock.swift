import Foundation

/// `NSRecursiveLock`, in the standard library's spelling.
final class RecursiveLock: Sendable {
  private let lock = NSRecursiveLock()

  func withLock<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}
