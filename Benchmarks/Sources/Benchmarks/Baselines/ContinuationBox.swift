import Synchronization

/// A continuation that the SDK and the cancellation handler share.
final class ContinuationBox: Sendable {
  private let continuation = Mutex<CheckedContinuation<Int, any Error>?>(nil)

  func put(_ new: CheckedContinuation<Int, any Error>) { continuation.withLock { $0 = new } }

  func resume(with result: Result<Int, any Error>) {
    continuation.withLock { $0.take() }?.resume(with: result)
  }
}
