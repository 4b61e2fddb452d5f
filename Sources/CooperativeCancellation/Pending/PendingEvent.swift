/// Waits for an event that an SDK reports to all its users: that it is ready, that it has an update.
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
/// An event reaches all waiting tasks, and none that begins to wait later. The tasks share the value and the
/// SDK's work, so no value is discarded and no cancellation is forwarded.
public final class PendingEvent<Value: Sendable>: Sendable {
  @usableFromInline let waits = PendingCalls<Int, Value>()

  /// Makes one without waiting tasks.
  public init() {}

  /// How many tasks wait.
  public var count: Int { waits.count }

  /// Waits for the next event.
  ///
  /// Returns the event's value. Throws the error that is reported or passed to ``close(throwing:)``, the error of
  /// `operation`, `CancellationError` or ``TimeoutError``.
  ///
  /// - Parameters:
  ///   - timeout: How long to wait; `nil` for no limit.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - operation: Asks whether the event has already happened, or makes it happen. Runs on the caller's
  ///     actor, at once, when no event can be missed.
  @inlinable
  nonisolated(nonsending) public func value(
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> Void = {}
  ) async throws -> Value {
    let terms = Terms(whenCancelled: .abandonCallback, timeout: timeout, fileID: fileID, line: line)
    return try await pendingBridge(
      terms,
      by: try terms.begin(),
      register: { wait in try waits.registry.locked { try $0.add(wait, terms.callSite) } },
      in: { _, _ in try operation() },
      onCancel: { _ in },
      leave: { number, _ in waits.leave(number, number, isOver: true) },
      onDiscard: nil
    )
  }

  // MARK: Events

  /// Reports the event.
  ///
  /// - Returns: How many tasks waited for it.
  @discardableResult
  public func resume(returning value: Value) -> Int {
    waits.answerAll(.success(Disconnected(sendable: value)))
  }

  /// Reports a failure, which all waiting tasks throw.
  ///
  /// - Returns: How many tasks waited.
  @discardableResult
  public func resume(throwing error: any Error) -> Int {
    waits.resumeAll(throwing: error)
  }

  /// Reports the event or a failure.
  ///
  /// - Returns: How many tasks waited.
  @discardableResult
  public func resume(with result: Result<Value, some Error>) -> Int {
    waits.answerAll(.sendable(result))
  }

  /// Ends all current and later waits with an error.
  ///
  /// Only the first error counts.
  ///
  /// - Parameter error: What the waits throw.
  public func close(throwing error: any Error) {
    waits.close(throwing: error)
  }
}

extension PendingEvent where Value == Void {
  /// Reports the event.
  ///
  /// - Returns: How many tasks waited for it.
  @discardableResult
  public func resume() -> Int {
    resume(returning: ())
  }
}
