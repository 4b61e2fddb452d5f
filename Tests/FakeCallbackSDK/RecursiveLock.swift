import Foundation

/// `NSRecursiveLock`, in the standard library's spelling.
public final class RecursiveLock: Sendable {
  private let lock = NSRecursiveLock()

  public init() {}

  public func withLock<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }
}
