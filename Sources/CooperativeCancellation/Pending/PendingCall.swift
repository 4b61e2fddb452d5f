/// One call at a time, to an SDK whose answers have no ids: one delegate, one listener.
///
/// ```swift
/// let signIn = PendingCall<Account>()
///
/// func account() async throws -> Account {
///   try await signIn.value(timeout: .seconds(60)) {
///     controller.performRequests()
///   } onCancel: {
///     controller.cancel()
///   }
/// }
///
/// // The delegate, on any thread:
/// func didComplete(with account: Account) { signIn.resume(returning: account) }
/// func didFail(with error: any Error) { signIn.resume(throwing: error) }
/// ```
///
/// A call that was cancelled or timed out ends at once, but keeps its place until the SDK has answered it, because a
/// late answer could not be told from that to the next call. Who comes meanwhile waits for its turn, in order, or is
/// refused. If the SDK may never answer, the way out is ``close(throwing:)``.
///
/// Each call has the guarantees of a bridge: see <doc:Contract#Pending-calls>.
public final class PendingCall<Value>: Sendable {
  /// What happens to a call while another one is pending.
  public enum BusyPolicy: Sendable, Hashable, CaseIterable {
    /// It waits for its turn. The time counts for its timeout, and a cancellation ends it.
    case wait
    /// It throws ``AlreadyPendingError``.
    case refuse
  }

  @usableFromInline typealias Answer = Result<Disconnected<Value>, any Error>

  @usableFromInline let turns: Turns

  /// Makes one without a call.
  ///
  /// - Parameter policy: What happens to a call while another one is pending.
  public init(ifBusy policy: BusyPolicy = .wait) {
    turns = Turns(mayWait: policy == .wait)
  }

  /// How many calls are pending, or wait for their turn.
  ///
  /// One that was cancelled or timed out is pending until its answer has come.
  public var count: Int { turns.count }

  /// Calls the SDK when no other call is pending, and waits for its answer.
  ///
  /// Returns the value that `resume(returning:)` brings. Throws the error that is brought, what `operation`
  /// throws, `CancellationError`, ``TimeoutError``, the error of ``close(throwing:)``, or ``AlreadyPendingError``.
  ///
  /// All ten guarantees of <doc:Contract> hold, as <doc:Contract#Pending-calls> says.
  ///
  /// - Parameters:
  ///   - response: What to do when the task is cancelled, or the time is up, before the answer.
  ///   - timeout: How long the turn and the answer may take together; `nil` for as long as they like. With zero or
  ///     less the SDK is not called.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - operation: Calls the SDK and returns what `onCancel` needs, or nothing. Runs on the caller's actor; at once,
  ///     if no other call is pending.
  ///   - cancel: Tells the SDK to stop. It receives what `operation` returned, and runs on the caller's actor, in
  ///     the waiting task, at most once.
  ///   - discard: Closes or frees a value that was brought for this call, and that it does not return. Runs on the
  ///     thread that brought it, or on the caller's actor if the task had received it already.
  @inlinable
  nonisolated(nonsending) public func value<Request>(
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> Request,
    onCancel cancel: (Request) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let terms = Terms(whenCancelled: response, timeout: timeout, fileID: fileID, line: line)
    if let cause = terms.causeNotToBegin() { throw terms.error(for: cause) }
    let deadline = terms.timeout?.begin()
    try await turns.wait(terms, until: deadline)
    let discardDisconnected = Disconnected.opening(discard)
    let discardAnswer: (@Sendable (Answer) -> Void)? = onlyValues(to: discardDisconnected)
    let contents = ReplyContents<Answer>(terms.callSite, discardAnswer)
    let started = try start(contents, makeWait: Wait(response: response)) { reply in
      let number = try turns.begin(reply.erased())
      do {
        return try operation()
      } catch {
        turns.fail(number)
        throw error
      }
    }
    let outcome = await outcome(
      of: started,
      by: deadline,
      onCancel: cancel,
      onDiscard: discardAnswer
    )
    let disconnected = try deliver(outcome, terms, onDiscard: discardDisconnected)
    guard let value = disconnected.open() else { throw MissingValueError(callSite: terms.callSite) }
    return value
  }

  // MARK: Answers

  /// Answers the call that is pending with a value, which may be one that is not `Sendable`.
  ///
  /// - Returns: The value, if no call is pending. Otherwise `nil`, and the call returns the value or passes it to its
  ///   `onDiscard`.
  @inlinable
  public func resume(returning value: sending Value) -> sending Value? {
    let disconnected = Disconnected(value)
    return answer(.success(disconnected)) ? nil : disconnected.open()
  }

  /// Answers the call that is pending with an error, which it throws.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  public func resume(throwing error: any Error) -> Bool {
    answer(.failure(error))
  }

  /// Ends the call that is pending, those that wait for their turn, and each one that begins from now on, with an
  /// error, without calling its SDK.
  ///
  /// To be called where the connection ends. Closing again changes nothing: the first error counts.
  ///
  /// - Parameter error: What the calls throw.
  public func close(throwing error: any Error) {
    let call = turns.close(error)
    if let call { (typed(call) as Reply<Answer>?)?.answer(.failure(error)) }
  }

  @usableFromInline
  func answer(_ answer: Answer) -> Bool {
    turns.answer { (typed($0) as Reply<Answer>?)?.answer(answer) }
  }
}

extension PendingCall where Value: Sendable {
  /// Answers the call that is pending with a value.
  ///
  /// - Returns: Whether there was one, which then returns the value or passes it to its `onDiscard`.
  @inlinable
  @discardableResult
  public func resume(returning value: Value) -> Bool {
    answer(.success(Disconnected(value)))
  }

  /// Answers the call that is pending with a value or an error.
  ///
  /// - Returns: Whether there was one.
  @inlinable
  @discardableResult
  public func resume(with result: Result<Value, some Error>) -> Bool {
    answer(result.map { Disconnected($0) }.mapError { $0 })
  }
}

extension PendingCall where Value == Void {
  /// Answers the call that is pending, which waits for nothing but its end.
  ///
  /// - Returns: Whether there was one.
  @inlinable
  @discardableResult
  public func resume() -> Bool {
    resume(returning: ())
  }
}
