import CooperativeCancellation
import CooperativeCancellationTesting

extension ManualClock {
  /// How often the time was read.
  var readCount: Int { state.state.reads }

  /// How many sleeps have begun in total.
  var sleepCount: Int { state.state.sleeps }

  /// Waits until a sleep has ended. Each call waits for the next one.
  func waitForWakeUp(within limit: Timeout) async throws {
    try await TimeLimitError.wait(
      "no sleep on the clock ended",
      within: limit,
      at: CallSite(fileID: #fileID, line: #line),
      for: state
    ) { state -> Void? in
      guard state.awaitedWakeUps < state.wakeUps else { return nil }
      state.awaitedWakeUps += 1
      return ()
    }
  }
}
