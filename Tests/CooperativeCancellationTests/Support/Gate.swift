import Dispatch

/// Holds one thread until another opens it.
final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  func pass() { semaphore.wait() }
}
