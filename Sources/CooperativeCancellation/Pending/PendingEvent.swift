/// Waits for something that an SDK tells everybody: that it is ready, that it has an update.
///
/// ```swift
/// let poweredOn = PendingEvent<Void>()
///
/// func ready() async throws {
///   try await poweredOn.value(timeout: .seconds(5)) {
///     if central.state == .poweredOn { poweredOn.resume() }
///   }
/// }
///
/// // The delegate, on any thread:
/// func didUpdateState() { if central.state == .poweredOn { poweredOn.resume() } }
/// func didFail(with error: any Error) { poweredOn.close(throwing: error) }
/// ```
///
/// Whatever happens goes to all that wait then, and to none that comes later. As the value is nobody's own, there is
/// nothing to discard, and as the SDK does not work for one of them, there is nothing to cancel.
public final class PendingEvent<Value: Sendable>: Sendable {
  @usableFromInline let table = CallTable()

  /// Makes one for which nobody waits.
  public init() {}

  /// How many wait.
  public var count: Int { table.count }

  /// Waits until it happens.
  ///
  /// Returns the value, or throws the error, that is brought; or throws `CancellationError`, ``TimeoutError``, what
  /// `operation` throws, or the error of ``close(throwing:)``.
  ///
  /// - Parameters:
  ///   - timeout: How long it may take; `nil` for as long as it likes.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - operation: Runs on the caller's actor, at once, when nothing is missed any more: the place to ask whether it
  ///     has happened already, or to have it happen.
  @inlinable
  nonisolated(nonsending) public func value(
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> Void = {}
  ) async throws -> Value {
    let terms = Terms(whenCancelled: .abandonCallback, timeout: timeout, fileID: fileID, line: line)
    return try await throwingBridge(
      terms,
      in: { (reply: Reply<Result<Value, any Error>>) in
        let place = try table.add(reply.erased(), terms.callSite)
        do {
          try operation()
        } catch {
          table.remove(place)
          throw error
        }
        return place
      },
      onCancel: { table.remove($0) },
      onDiscard: nil
    )
  }

  /// It has happened. Returns how many waited for it.
  @discardableResult
  public func resume(returning value: Value) -> Int {
    end(table.takeAll(), .success(value))
  }

  /// It has failed: all that wait throw the error. Returns how many there were.
  @discardableResult
  public func resume(throwing error: any Error) -> Int {
    end(table.takeAll(), .failure(error))
  }

  /// It will not happen any more: all that wait, and all that come later, throw the error. Closing again changes
  /// nothing.
  public func close(throwing error: any Error) {
    _ = end(table.close(error).calls, .failure(error))
  }

  private func end(_ calls: [AnyReply], _ answer: Result<Value, any Error>) -> Int {
    for call in calls { (typed(call) as Reply<Result<Value, any Error>>?)?.answer(answer) }
    return calls.count
  }
}

extension PendingEvent where Value == Void {
  /// It has happened. Returns how many waited for it.
  @discardableResult
  public func resume() -> Int {
    resume(returning: ())
  }
}
