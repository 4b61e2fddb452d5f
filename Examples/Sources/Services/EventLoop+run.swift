import CooperativeCancellation
import NIOCore

extension EventLoop {
  /// Runs `work` after a delay. A cancellation removes it from the schedule.
  func run<Value: Sendable>(
    in delay: TimeAmount,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withAsyncThrowingValue { completion in
      let scheduled = scheduleTask(in: delay, work)
      scheduled.futureResult.whenComplete(completion)
      return scheduled
    } onCancel: {
      $0.cancel()
    }
  }
}
