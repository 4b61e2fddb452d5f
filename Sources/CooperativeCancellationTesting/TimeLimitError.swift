package import CooperativeCancellation

/// An event that a test waited for did not happen in time.
public struct TimeLimitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where the test waits.
  package let callSite: CallSite

  private let event: String

  /// Says where the test waited, for what, and how long, and which calls of the process are
  /// waiting.
  public var description: String { "\(callSite): \(event)" }

  init(_ event: String, isTooBusy: Bool, at callSite: CallSite) {
    let reason =
      isTooBusy ? " The machine is too busy to tell why: run fewer processes at once." : ""
    let kit = "CooperativeCancellationTesting/"
    let calls = WaitingCalls.all.filter { !$0.callSite.fileID.hasPrefix(kit) }
    let list = calls.isEmpty ? "" : " " + WaitingCalls.describe(calls, atMost: 10)
    self.event = event + "." + reason + list
    self.callSite = callSite
  }
}

extension Observed {
  /// Waits until `ready` returns a value. Throws an error with this text if it does not in time.
  package nonisolated(nonsending) func wait<Output: Sendable>(
    or event: String,
    within limit: Timeout,
    at callSite: CallSite,
    until ready: @escaping @Sendable (inout State) -> Output?
  ) async throws -> Output {
    let busyBefore = busyWaits.state
    let output = try await patiently { try await wait(within: limit, until: ready) }
    if let output { return output }
    let isTooBusy = busyWaits.state > busyBefore
    throw TimeLimitError("\(event) within \(limit)", isTooBusy: isTooBusy, at: callSite)
  }
}
