import LegacySDK
import Synchronization

/// ``HandWrittenCall`` without its deadlock: the SDK is told by the task that was cancelled, outside the
/// cancellation handler, and so it is called before the task waits.
///
/// What it still lacks: a dropped completion hangs it, a second callback is not reported, and a value that
/// comes late is lost.
final class CarefulHandWrittenCall: Sendable {
  private enum State {
    case begun
    case waiting(CheckedContinuation<Int, any Error>)
    case ended(Result<Int, any Error>)
    case over
  }

  private let state = Mutex(State.begun)

  static func run(
    _ sdk: LegacySDK,
    cancel: (LegacySDK) -> Void
  ) async throws -> Int {
    try Task.checkCancellation()
    let call = CarefulHandWrittenCall()
    sdk.result { call.end($0) }
    let value: Int
    do {
      value = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { call.wait($0) }
      } onCancel: {
        call.end(.failure(CancellationError()))
      }
    } catch let error as CancellationError {
      cancel(sdk)
      throw error
    }
    try Task.checkCancellation()
    return value
  }

  private func wait(_ continuation: CheckedContinuation<Int, any Error>) {
    let result: Result<Int, any Error>? = state.withLock { state in
      if case .ended(let result) = state {
        state = .over
        return result
      }
      state = .waiting(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }

  private func end(_ result: Result<Int, any Error>) {
    let continuation: CheckedContinuation<Int, any Error>? = state.withLock { state in
      switch state {
      case .begun:
        state = .ended(result)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .ended, .over:
        return nil
      }
    }
    continuation?.resume(with: result)
  }
}
