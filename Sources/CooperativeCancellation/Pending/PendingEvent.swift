/// Waits for an event that an SDK reports to all its users: that it is ready, that it has an update.
///
/// ```swift
/// let poweredOn = PendingEvent<Void>()
///
/// func ready() async throws {
///   try await poweredOn.value(timeout: .seconds(30)) {
///     if central.state == .poweredOn { poweredOn.resume() }
///   }
/// }
///
/// // The delegate, on any thread:
/// func didUpdateState() { if central.state == .poweredOn { poweredOn.resume() } }
/// func didFail(with error: any Error) { poweredOn.close(throwing: error) }
/// ```
///
/// An event reaches all waiting tasks, and none that begins to wait later. The tasks share the value and the
/// SDK's work, so no value is discarded and no cancellation is forwarded.
public final class PendingEvent<Value: Sendable>: Sendable {
  @usableFromInline let registry = Locked(initially: CallRegistry<Int>())

  /// Makes one without waiting tasks.
  public init() {}

  /// How many tasks wait.
  public var count: Int { registry.locked { $0.count } }

  /// Waits for the next event.
  ///
  /// Returns the event's value. Throws the error passed to `resume(throwing:)` or ``close(throwing:)``, the
  /// error of `operation`, `CancellationError` or ``TimeoutError``.
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
      in: { wait in
        let number = try registry.extract { $0.add(wait) }.get(terms.callSite)
        do {
          try operation()
        } catch {
          remove(number)
          throw error
        }
        return number
      },
      onCancel: { remove($0) },
      onDiscard: nil
    )
  }

  /// Reports the event. Returns how many tasks waited for it.
  @discardableResult
  public func resume(returning value: Value) -> Int {
    answerAll(.success(value))
  }

  /// Reports a failure, which all waiting tasks throw. Returns how many there were.
  @discardableResult
  public func resume(throwing error: any Error) -> Int {
    answerAll(.failure(error))
  }

  /// Ends all current and later waits with the error. Only the first error counts.
  public func close(throwing error: any Error) {
    let answer = carrier(of: Result<Value, any Error>.failure(error))
    for call in registry.extract({ $0.close(error, answer) }).calls { call.wake() }
  }

  @usableFromInline
  func remove(_ number: Int) {
    _ = registry.extract { $0.remove(number, number) }
  }

  private func answerAll(_ answer: Result<Value, any Error>) -> Int {
    let answer = carrier(of: answer)
    let calls = registry.extract { $0.takeAll(answer) }.calls
    for call in calls { call.wake() }
    return calls.count
  }
}

extension PendingEvent where Value == Void {
  /// Reports the event. Returns how many tasks waited for it.
  @discardableResult
  public func resume() -> Int {
    resume(returning: ())
  }
}
