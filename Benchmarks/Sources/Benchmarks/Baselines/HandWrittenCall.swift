import LegacySDK
import Synchronization

/// A careful wrapper for one method of one SDK: a cancelled call ends at once, one outcome counts,
/// and the task is checked before and after. The cancelled task itself tells the SDK, outside the
/// cancellation handler, where an SDK that calls back under the lock that its `cancel()` takes
/// would deadlock; it therefore calls the SDK before it waits.
///
/// Specialized for one type. A dropped completion hangs it, a second callback is not reported, a
/// late value is lost.
final class HandWrittenCall: Sendable {
  /// A structure, because an enumeration would be moved through its type's value witnesses: the
  /// size of a continuation is not known outside the standard library.
  private struct State {
    var result: Result<Int, any Error>?
    var continuation: CheckedContinuation<Int, any Error>?
  }

  private let state = Mutex(State())

  static func run(
    _ sdk: LegacySDK,
    cancel: (LegacySDK) -> Void
  ) async throws -> Int {
    try Task.checkCancellation()
    let call = HandWrittenCall()
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
      if let result = state.result { return result }
      state.continuation = continuation
      return nil
    }
    if let result { continuation.resume(with: result) }
  }

  /// The first result counts.
  private func end(_ result: Result<Int, any Error>) {
    let continuation: CheckedContinuation<Int, any Error>? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      return state.continuation.take()
    }
    continuation?.resume(with: result)
  }
}
