internal import CancellationInternals
public import CooperativeCancellation

/// One call at a time, to an SDK whose answers have no ids: one delegate, one listener.
///
/// With a `PendingCall` in `scans`:
///
/// ```swift
/// func scan() async throws -> String {
///   try await scans.value {
///     let hasBegun = sdk.scan { @Sendable [scans] in scans.resume(with: $0) }
///     if !hasBegun { throw ScannerBusyError() }
///   } onCancel: {
///     sdk.stopScan()
///   }
/// }
/// ```
///
/// A call that is cancelled or times out ends at once, but keeps its place until the SDK answers it
/// and `onCancel` has returned: the late answer must not reach the next call. A call that is
/// answered with a value keeps its place until its task has read that: the task may be cancelled
/// before, and then `onCancel` must not reach the next call, either. Meanwhile, other calls wait
/// for their turn in order; the wait counts toward their timeout. If the SDK may never answer,
/// limit `lateAnswers`, or call ``close(throwing:)``.
///
/// Keep what the late answer arrives through beside this object: a delegate that the SDK holds
/// weakly, or the repeating `CallbackContext` of a C library. What `operation` returns is released
/// when the call ends, and a cancelled call waits for the answer only with `.waitForCallback` and
/// `.deliverResult`. If the late answer is lost, the next call waits forever.
///
/// Each call has the guarantees of a bridge: see <doc:Contract#Pending-calls>.
public final class PendingCall<Value>: Sendable {
  /// All calls have the id 0.
  @usableFromInline package let calls: PendingCalls<Int, Value>

  /// Creates an instance with no calls.
  ///
  /// - Parameters:
  ///   - lateAnswers: How long the SDK may take to answer a call after its `onCancel` has returned,
  ///     as in ``PendingCalls/init(ifTaken:lateAnswers:onUnclaimed:onDiscard:)``; `nil` means no
  ///     limit.
  ///   - onDiscard: Closes or frees each value that no caller returns, once: late, withheld, or
  ///     reported while no call was pending. Runs on the thread that delivers the value, or on the
  ///     caller's actor if the task already had it.
  public init(
    lateAnswers: Timeout? = nil,
    onDiscard: (@Sendable (sending Value) -> Void)? = nil
  ) {
    calls = PendingCalls(ifTaken: .waitForTurn, lateAnswers: lateAnswers, onDiscard: onDiscard)
  }

  /// Calls the SDK when no other call is pending, and waits for its answer.
  ///
  /// Returns the value that answers the call. Throws the error that answers it or closes all calls,
  /// the error of `operation`, `CancellationError` or `TimeoutError`. See
  /// <doc:Contract#Pending-calls>.
  ///
  /// The parameters are those of a call of ``PendingCalls``, but `timeout` covers the turn and the
  /// answer together, and `discard` may also run on the thread that delivers the value.
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public func value<Request>(
    whenCancelled response: CancellationResponse = .abandonCallback,
    timeout: Timeout? = nil,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in operation: () throws -> Request,
    onCancel cancel: (Request) -> Void = { _ in },
    onDiscard discard: (@Sendable (sending Value) -> Void)? = nil
  ) async throws -> sending Value {
    let options = CallOptions.options(response, timeout, CallSite(fileID: fileID, line: line))
    return try await calls.call(
      0,
      isNamed: false,
      options,
      in: operation,
      onCancel: cancel,
      onDiscard: discard
    )
  }

  @available(*, unavailable, message: "one call at a time needs no id: leave out 'for:'")
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public func value<ID, Request>(
    for id: ID,
    timeout: Timeout? = nil,
    in operation: () throws -> Request,
    onCancel cancel: (Request) -> Void = { _ in }
  ) async throws -> sending Value {
    throw cancellationError()
  }

  // MARK: Answers

  /// Answers the pending call with a value, which need not be `Sendable`. If no call is pending,
  /// the value goes to `onDiscard`.
  @_alwaysEmitIntoClient
  public func resume(returning value: consuming sending Value) {
    calls.resume(0, returning: consume value)
  }

  /// Answers the pending call with an error.
  @_alwaysEmitIntoClient
  public func resume(throwing error: consuming any Error) {
    calls.resume(0, throwing: consume error)
  }

  /// Answers the pending call with a value or an error.
  @_alwaysEmitIntoClient
  public func resume(with result: consuming sending Result<Value, some Error>) {
    calls.resume(0, with: consume result)
  }

  /// Answers the pending call with a value or an error; this one accepts `.success(value)`.
  @_alwaysEmitIntoClient
  public func resume(with result: consuming sending Result<Value, any Error>) {
    calls.resume(0, with: consume result)
  }

  /// Answers the pending call, whose value is `Void`.
  @_alwaysEmitIntoClient
  public func resume() where Value == Void { calls.resume(0) }

  /// Ends the pending call, all waiting ones and later ones with an error, as
  /// ``PendingCalls/close(throwing:)`` does.
  @_alwaysEmitIntoClient
  public func close(throwing error: any Error) { calls.close(throwing: error) }
}

// The same for whoever must know whether a call was pending: then nothing is discarded here.
extension PendingCall {
  /// Answers the pending call with a value. Returns whether one was pending; if not, the value is
  /// still yours.
  @_alwaysEmitIntoClient
  public func tryResume(returning value: consuming Value) -> Bool where Value: Sendable {
    calls.tryResume(0, returning: consume value)
  }

  /// Answers the pending call with a value that need not be `Sendable`. Returns it, or `nil` if a
  /// call took it.
  @_alwaysEmitIntoClient
  public func tryResume(sending value: consuming sending Value) -> sending Value? {
    calls.tryResume(0, sending: consume value)
  }

  /// Answers the pending call with an error. Returns whether one was pending.
  @_alwaysEmitIntoClient
  public func tryResume(throwing error: consuming any Error) -> Bool {
    calls.tryResume(0, throwing: consume error)
  }

  /// Answers the pending call with a value or an error. Returns whether one was pending.
  @_alwaysEmitIntoClient
  public func tryResume(with result: consuming Result<Value, some Error>) -> Bool
  where Value: Sendable {
    calls.tryResume(0, with: consume result)
  }

  /// Answers the pending call, whose value is `Void`. Returns whether one was pending.
  @_alwaysEmitIntoClient
  public func tryResume() -> Bool where Value == Void { calls.tryResume(0) }
}
