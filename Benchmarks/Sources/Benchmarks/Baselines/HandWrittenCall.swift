import LegacySDK
import Synchronization

/// A careful hand-written wrapper for one method of one SDK: a cancelled call ends at once, one outcome
/// counts, the SDK is told, and the task is checked before and after.
///
/// It is specialized for one type. It can deadlock with an SDK that calls back under the lock that its
/// `cancel()` takes, because the handler runs under the runtime's lock. The SDK must be `Sendable`, is not
/// called on the caller's actor, and may be told twice. A dropped completion hangs the call, a second
/// callback is not reported, and a late value is lost.
final class HandWrittenCall: Sendable {
  private let continuation = Mutex<CheckedContinuation<Int, any Error>?>(nil)

  static func run(
    _ sdk: LegacySDK,
    cancel: @escaping @Sendable (LegacySDK) -> Void
  ) async throws -> Int {
    try Task.checkCancellation()
    let call = HandWrittenCall()
    let value = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        call.continuation.withLock { $0 = continuation }
        sdk.result { call.end($0) }
        if Task.isCancelled {  // The handler may have run before there was anything to cancel.
          cancel(sdk)
          call.end(.failure(CancellationError()))
        }
      }
    } onCancel: {
      cancel(sdk)
      call.end(.failure(CancellationError()))
    }
    try Task.checkCancellation()
    return value
  }

  private func end(_ result: Result<Int, any Error>) {
    continuation.withLock { $0.take() }?.resume(with: result)
  }
}
