public import CooperativeCancellation

/// Something that a test waited for has not happened in time.
public struct TimeLimitError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The wait, in the test.
  public let callSite: CallSite

  private let event: String

  /// Says where, what did not happen, and how long the test waited.
  public var description: String { "\(callSite): \(event)" }

  private init(_ event: String, _ limit: Timeout, _ callSite: CallSite) {
    self.event = "\(event) within \(limit)."
    self.callSite = callSite
  }

  /// Waits until `ready` returns something; throws this error, with these words, if it does not in time.
  static nonisolated(nonsending) func wait<State, Result: Sendable>(
    _ event: String,
    within limit: Timeout,
    at callSite: CallSite,
    for state: Observed<State>,
    until ready: @escaping @Sendable (inout State) -> Result?
  ) async throws -> Result {
    let result: Result? = try await patiently {
      do {
        return try await state.wait(within: limit, until: ready)
      } catch is TimeoutError {
        return nil
      }
    }
    guard let result else { throw TimeLimitError(event, limit, callSite) }
    return result
  }
}
