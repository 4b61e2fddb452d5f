public import CancellationInternals
public import CooperativeCancellation

/// Waits for an event that an SDK reports to all its users, such as being ready or having an
/// update.
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
/// An event reaches all waiting tasks, and none that begins to wait later. Only a close is
/// remembered: later waits end with it, too. The tasks share the value and the SDK's work: nothing
/// is discarded or forwarded.
public final class PendingEvent<Value: Sendable>: Sendable {
  @usableFromInline typealias Waiter = CancellableContinuation<Value, any Error>

  @usableFromInline let waits: Locked<EventMachine<Waiter, Result<Value, any Error>>>

  /// Creates an event for which no task is waiting.
  @_alwaysEmitIntoClient
  public init() { waits = Locked(initially: EventMachine()) }

  /// How many tasks wait.
  package var count: Int { waits.locked { $0.count } }

  /// Waits for the next event.
  ///
  /// Returns the event's value. Throws the error that is reported or passed to
  /// ``close(throwing:)``, the error of `operation`, `CancellationError` or `TimeoutError`, which
  /// names the file and the line.
  ///
  /// `operation` asks whether the event has already happened, or makes it happen. It runs on the
  /// caller's actor, at once, when no event can be missed anymore.
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public func value(
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> Void = {}
  ) async throws -> Value {
    let options = CallOptions.options(
      .abandonCallback,
      timeout,
      CallSite(fileID: fileID, line: line)
    )
    if let cause = options.causeNotToBegin() { throw options.error(for: cause) }
    // Here, too, because most waits for a state that lasts come after the close, and need no
    // continuation.
    if let event = waits.locked({ $0.lastEvent }) { return try event.get() }
    return try await throwingWait(
      options,
      as: .pendingCall(id: nil),
      in: { (waiter: Waiter) in
        let number = waits.locked { $0.join(waiter) }
        guard let number else {
          // It was closed between the look above and this one.
          if let event = waits.locked({ $0.lastEvent }) { waiter.resume(with: event) }
          return 0
        }
        do {
          try operation()
          return number
        } catch {
          leave(number)
          throw error
        }
      },
      onCancel: { leave($0) },
      onDiscard: nil
    )
  }

  @_alwaysEmitIntoClient
  func leave(_ number: Int) { _ = waits.extract { $0.leave(number) } }

  // MARK: Events

  /// Reports the event to all tasks that wait for it.
  @_alwaysEmitIntoClient
  public func resume(returning value: consuming Value) { _ = tryResume(returning: value) }

  /// Reports a failure, which all waiting tasks throw.
  @_alwaysEmitIntoClient
  public func resume(throwing error: consuming any Error) { _ = tryResume(throwing: error) }

  /// Reports the event. Returns how many tasks take it.
  @_alwaysEmitIntoClient
  public func tryResume(returning value: consuming Value) -> Int {
    resume(waits.locked { $0.takeAll() }, with: .success(value))
  }

  /// Reports a failure. Returns how many tasks throw it.
  @_alwaysEmitIntoClient
  public func tryResume(throwing error: consuming any Error) -> Int {
    resume(waits.locked { $0.takeAll() }, with: .failure(error))
  }

  /// Ends all current and later waits with an error. Only the first close counts.
  @_alwaysEmitIntoClient
  public func close(throwing error: any Error) { close(with: .failure(error)) }

  /// Ends all current and later waits with a value: for a state that lasts, such as "connected" or
  /// "closed".
  ///
  /// Only the first close counts. Unless the task is cancelled, a later wait returns at once,
  /// without its `operation`.
  @_alwaysEmitIntoClient
  public func close(returning value: Value) { close(with: .success(value)) }

  @_alwaysEmitIntoClient
  func close(with event: consuming Result<Value, any Error>) {
    let waiters = waits.locked { $0.close(with: event) }
    _ = resume(waiters, with: event)
  }

  /// Returns how many of the tasks take the event. Others were cancelled or timed out just before.
  @_alwaysEmitIntoClient
  func resume(
    _ waiters: NumberedQueue<Waiter>,
    with event: consuming Result<Value, any Error>
  ) -> Int {
    // The last one receives the event itself. If it is the only one, the value ends in its task.
    var event: PendingAnswer<Value>? = .sendable(consume event)
    var remaining = waiters.count
    var taken = 0
    for slot in waiters.slots {
      guard let waiter = slot.element else { continue }
      remaining -= 1
      guard let answer = remaining == 0 ? event.take() : event else { break }
      if waiter.reply.answer(consume answer) { taken += 1 }
    }
    return taken
  }
}

extension PendingEvent where Value == Void {
  /// Reports the event to all tasks that wait for it.
  @_alwaysEmitIntoClient
  public func resume() { resume(returning: ()) }

  /// Reports the event. Returns how many tasks take it.
  @_alwaysEmitIntoClient
  public func tryResume() -> Int { tryResume(returning: ()) }
}
