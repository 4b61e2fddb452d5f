import CooperativeCancellation
import CooperativeCancellationTesting

extension ManualClock {
  /// How often the time was read.
  var readCount: Int { state.state.reads }

  /// How many sleeps have begun in total.
  var sleepCount: Int { state.state.sleeps }

  /// Waits until a sleep has ended. Each call waits for the next one.
  func waitForWakeUp(within limit: Timeout) async throws {
    let callSite = CallSite(fileID: #fileID, line: #line)
    try await state.wait(or: "no sleep on the clock ended", within: limit, at: callSite) {
      state -> Void? in
      guard state.awaitedWakeUps < state.wakeUps else { return nil }
      state.awaitedWakeUps += 1
      return ()
    }
  }
}
