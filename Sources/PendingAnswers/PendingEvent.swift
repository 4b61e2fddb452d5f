public import CancellationInternals
public import CooperativeCancellation

/// Waits for an event that an SDK reports to all its users, such as being ready or having an update.
///
/// ```swift
/// func ready() async throws {
///   try await poweredOn.value(timeout: .seconds(5)) {
///     if central.isPoweredOn { poweredOn.resume() }
///   }
/// }
///
/// // The delegate's methods, on any thread.
///
/// nonisolated func centralDidUpdateState(_ central: Central) {
///   if central.isPoweredOn { poweredOn.resume() }
/// }
/// ```
///
/// An event reaches all waiting tasks, and none that begins to wait later. Only a close is remembered: later waits end
/// with it, too. The tasks share the value and the SDK's work: nothing is discarded or forwarded.
public final class PendingEvent<Value: Sendable>: Sendable {
  @usableFromInline package let waits: PendingCalls<Int, Value>

  /// Creates an event for which no task is waiting.
  public init() { waits = PendingCalls() }

  /// Waits for the next event.
  ///
  /// Returns the event's value. Throws the error that is reported or passed to ``close(throwing:)``, the error of
  /// `operation`, `CancellationError` or `TimeoutError`, which names the file and the line.
  ///
  /// `operation` asks whether the event has already happened, or makes it happen. It runs on the caller's actor, at
  /// once, when no event can be missed anymore.
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public func value(
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> Void = {}
  ) async throws -> Value {
    let callSite = CallSite(fileID: fileID, line: line)
    let options = CallOptions.options(.abandonCallback, timeout, callSite)
    do {
      return try await pendingBridge(
        options,
        by: try options.begin(),
        register: { wait in
          // Each wait has its own id.
          try waits.registry.locked { try $0.add(wait, $0.lastNumber + 1, callSite) }
        },
        in: { _, _ in try operation() },
        onCancel: { _ in },
        leave: { number, _ in waits.leave(number, number, hasFailed: true, options.response) },
        onDiscard: nil
      )
    } catch let event as Happened<Value> {
      return event.value
    }
  }

  // MARK: Events

  /// Reports the event. Returns how many tasks were waiting for it.
  @_alwaysEmitIntoClient
  @discardableResult
  public func resume(returning value: consuming Value) -> Int {
    waits.endAll(.success(Sent(value)))
  }

  /// Reports a failure, which all waiting tasks throw. Returns how many there were.
  @_alwaysEmitIntoClient
  @discardableResult
  public func resume(throwing error: consuming any Error) -> Int {
    waits.resumeAll(throwing: error)
  }

  /// Ends all current and later waits with an error. Only the first close counts.
  public func close(throwing error: any Error) { waits.close(throwing: error) }

  /// Ends all current and later waits with a value: for a state that lasts, such as "connected" or "closed".
  ///
  /// Only the first close counts. Unless the task is cancelled, a later wait returns at once, without its `operation`.
  public func close(returning value: Value) {
    _ = waits.endAll(.success(Sent(value)), Happened(value: value))
  }
}

/// How a closed registry tells a wait that its event has happened.
@usableFromInline struct Happened<Value: Sendable>: Error {
  @usableFromInline let value: Value
}

extension PendingEvent where Value == Void {
  /// Reports the event. Returns how many tasks were waiting for it.
  @_alwaysEmitIntoClient
  @discardableResult
  public func resume() -> Int { resume(returning: ()) }
}
