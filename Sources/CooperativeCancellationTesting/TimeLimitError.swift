package import CooperativeCancellation

/// An event that a test waited for did not happen in time.
public struct TimeLimitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where the test waits.
  package let callSite: CallSite

  private let event: String

  /// Says where the test waited, for what, and how long, and which calls of the process are waiting.
  public var description: String { "\(callSite): \(event)" }

  init(_ event: String, isTooBusy: Bool, at callSite: CallSite) {
    let reason =
      isTooBusy ? " The machine is too busy to tell why: run fewer processes at once." : ""
    let kit = "CooperativeCancellationTesting/"
    let calls = WaitingCall.all.filter { !$0.callSite.fileID.hasPrefix(kit) }
    let list = calls.isEmpty ? "" : " " + WaitingCall.describe(calls, atMost: 10)
    self.event = event + "." + reason + list
    self.callSite = callSite
  }

  /// Waits until `ready` returns a value. Throws this error, with this text, if it does not in time.
  package static nonisolated(nonsending) func wait<State, Result: Sendable>(
    _ event: String,
    within limit: Timeout,
    at callSite: CallSite,
    for state: Observed<State>,
    until ready: @escaping @Sendable (inout State) -> Result?
  ) async throws -> Result {
    let busyBefore = busyWaits.state
    let result = try await patiently { try await state.wait(within: limit, until: ready) }
    if let result { return result }
    throw TimeLimitError(
      "\(event) within \(limit)",
      isTooBusy: busyWaits.state > busyBefore,
      at: callSite
    )
  }
}
