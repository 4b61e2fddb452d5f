// Resumptions, and locks that cancellation handlers take.

import Synchronization

final class Locks: Sendable {
  let waiting = Mutex<Waiting?>(nil)

  func waits() async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        if Task.isCancelled { cancel() }
      }
    } onCancel: {
      cancel()
    }
  }

  func cancel() {
    let continuation = waiting.withLock { $0.take() }
    continuation?.resume(throwing: CancellationError())
  }

  func answer() {
    waiting.withLock { continuation in
      continuation?.resume(returning: ())  // warning: resumed-under-lock
      continuation = nil
    }
  }

  func fail(_ error: any Error) {
    let continuation = waiting.withLock { $0.take() }
    continuation?.resume(throwing: error)
  }
}

/// Nothing cancels these.
final class OtherLocks: Sendable {
  let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)

  func waits() async {
    await withCheckedContinuation { continuation in waiting.withLock { $0 = continuation } }
  }

  func answer() {
    waiting.withLock { continuation in
      continuation?.resume(returning: ())
      continuation = nil
    }
  }
}
