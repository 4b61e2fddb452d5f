public import CancellationInternals
public import CooperativeCancellation

/// Calls whose answers arrive elsewhere, by id: over a socket, from a process, through a delegate.
///
/// ```swift
/// final class Client: Sendable {
///   private let socket: Socket
///   private let replies = PendingCalls<Int, String>()
///
///   init(_ socket: Socket) {
///     self.socket = socket
///     socket.onMessage { [replies] id, text in replies.resume(id, returning: text) }
///     socket.onClose { [replies] error in replies.close(throwing: error) }
///   }
///
///   func ask(_ question: String) async throws -> String {
///     let id = socket.nextID()
///     return try await replies.value(for: id, timeout: .seconds(5)) {
///       socket.write(id, question)
///     } onCancel: {
///       socket.write(id, "cancel")
///     }
///   }
/// }
/// ```
///
/// A call is registered before its SDK is called, so an immediate answer is not missed, and removed
/// when it has ended. Each call has the guarantees of a bridge: see <doc:Contract#Pending-calls>.
///
/// May be used from any thread and actor. The library holds no lock while your closures run, or
/// while ids and values are released. The `==` and the `hash(into:)` of an id run under the lock of
/// this object, so they must not use it.
///
/// A waiting call keeps this object alive, so call ``close(throwing:)`` where the connection ends.
public final class PendingCalls<ID: Hashable & Sendable, Value>: Sendable {
  @usableFromInline let registry: Locked<PendingCallsMachine<ID, Value>>
  @usableFromInline let unclaimed: (@Sendable (ID, sending Result<Value, any Error>) -> Void)?
  /// How calls with one id share it; `nil` if each has its own.
  @usableFromInline let sharing: TakenIDPolicy?
  @usableFromInline let lateAnswers: Timeout?
  @usableFromInline let discard: (@Sendable (sending Value) -> Void)?

  /// What happens to a call whose id another call has. <doc:AnswersByID#Recurring-ids> helps you
  /// choose.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum TakenIDPolicy: Sendable, Hashable, CaseIterable {
    /// It throws ``AlreadyPendingError``. For ids that differ: a late answer would reach a later
    /// call with the same id. A new call takes over the id of one that is answered. If the task of
    /// that one has not read its value, it returns the value, even if it is cancelled, because its
    /// `onCancel` could reach the new call.
    case throwError
    /// It waits until the other calls are over, in order. The wait counts toward its timeout, and
    /// cancellation ends it.
    case waitForTurn
    /// It calls the SDK at once. Each answer goes to the first call with the id that has none.
    ///
    /// Make calls with one id on one actor, with a synchronous `operation`: then the order of the
    /// calls is the order in which the SDK gets them. Two callers on the pool, or two asynchronous
    /// operations, may reach it in another order, and get each other's answers. An `onCancel` may
    /// run while other calls have the id.
    case answerInOrder
  }

  /// Creates an instance with no calls.
  ///
  /// With ``TakenIDPolicy/waitForTurn`` and ``TakenIDPolicy/answerInOrder``, an interrupted call
  /// keeps its place until its `onCancel` has returned and its late answer has arrived, whose value
  /// goes to the call's `onDiscard`. With ``TakenIDPolicy/waitForTurn``, a call that is answered
  /// with a value keeps its place until its task has read that.
  ///
  /// - Parameters:
  ///   - policy: What happens to a call whose id another call has.
  ///   - lateAnswers: How long a late answer may take, from the end of `onCancel`. Then the call is
  ///     over, even if it waits for the SDK. `nil` means no limit; zero, that the SDK forgets a
  ///     cancelled call. Not used with ``TakenIDPolicy/throwError``.
  ///   - onUnclaimed: Receives the answers that no call takes, such as one that comes after its
  ///     call was cancelled. Runs once for each, on the thread that calls `resume`. An answer that
  ///     arrives while the id of a call is not yet known waits: for that, it runs on the actor of
  ///     the last call that might have matched, or in ``close(throwing:)``.
  ///   - onDiscard: Closes or frees each value that no caller returns, once: late, withheld, or,
  ///     without `onUnclaimed`, taken by no call. Runs on the thread that delivers the value, or on
  ///     the caller's actor if the task already had it. A call with an `onDiscard` of its own uses
  ///     that for the values that it took.
  public init(
    ifTaken policy: TakenIDPolicy = .throwError,
    lateAnswers: Timeout? = nil,
    onUnclaimed: (@Sendable (_ id: ID, _ answer: sending Result<Value, any Error>) -> Void)? = nil,
    onDiscard: (@Sendable (sending Value) -> Void)? = nil
  ) {
    registry = Locked(initially: PendingCallsMachine())
    unclaimed = onUnclaimed
    sharing = policy == .throwError ? nil : policy
    self.lateAnswers = lateAnswers
    discard = onDiscard
  }

  /// How many calls are being made, or are waiting for their turn or their answer.
  ///
  /// A call that was cancelled or timed out counts until `onCancel` has returned, an asynchronous
  /// `operation` has ended, and its answer has arrived, if it waits for it or keeps its place until
  /// then.
  public var count: Int { registry.locked { $0.count } }

  // MARK: Answers

  /// Answers a call with a value, which need not be `Sendable`. If no call takes it, it goes to
  /// `onUnclaimed` or `onDiscard`.
  @_alwaysEmitIntoClient
  public func resume(_ id: ID, returning value: consuming sending Value) {
    deliver(id, .success(Sent(value)))
  }

  /// Answers a call with an error. If no call takes it, it goes to `onUnclaimed`.
  @_alwaysEmitIntoClient
  public func resume(_ id: ID, throwing error: consuming any Error) {
    deliver(id, .failure(consume error))
  }

  /// Answers a call with a value or an error.
  @_alwaysEmitIntoClient
  public func resume(_ id: ID, with result: consuming sending Result<Value, some Error>) {
    switch consume result {
    case .success(let value): resume(id, returning: consume value)
    case .failure(let error): resume(id, throwing: error)
    }
  }

  /// Answers a call with a value or an error; this one accepts `.success(value)`.
  @_alwaysEmitIntoClient
  public func resume(_ id: ID, with result: consuming sending Result<Value, any Error>) {
    switch consume result {
    case .success(let value): resume(id, returning: consume value)
    case .failure(let error): resume(id, throwing: error)
    }
  }

  /// Answers a call whose value is `Void`.
  @_alwaysEmitIntoClient
  public func resume(_ id: ID) where Value == Void { resume(id, returning: ()) }

  /// Ends all calls with an error, including those that are being made, but no later ones. Returns
  /// how many took it.
  @_alwaysEmitIntoClient
  @discardableResult
  public func resumeAll(throwing error: any Error) -> Int { endAll(error, closes: false) }

  /// Ends all calls with an error. Later calls throw it, too, without calling the SDK.
  ///
  /// Call it where the connection ends. Only the first error counts.
  @_alwaysEmitIntoClient
  public func close(throwing error: any Error) { _ = endAll(error, closes: true) }
}

// The same for whoever must know whether a call takes the answer: then nothing is discarded here.
extension PendingCalls {
  /// Answers a call with a value. Returns whether a call took it; if not, the value is still yours.
  @_alwaysEmitIntoClient
  public func tryResume(_ id: ID, returning value: consuming Value) -> Bool where Value: Sendable {
    answer(id, .success(Sent(value)))
  }

  /// Answers a call with a value that need not be `Sendable`. Returns it if no call took it, or
  /// else `nil`.
  @_alwaysEmitIntoClient
  public func tryResume(_ id: ID, sending value: consuming sending Value) -> sending Value? {
    var answer: PendingAnswer<Value>? = .success(Sent(value))
    if self.answer(id, &answer) { return nil }
    return answer.take()?.sent()?.open()
  }

  /// Answers a call with an error. Returns whether a call took it.
  @_alwaysEmitIntoClient
  public func tryResume(_ id: ID, throwing error: consuming any Error) -> Bool {
    answer(id, .failure(consume error))
  }

  /// Answers a call with a value or an error. Returns whether a call took it.
  @_alwaysEmitIntoClient
  public func tryResume(_ id: ID, with result: consuming Result<Value, some Error>) -> Bool
  where Value: Sendable {
    answer(id, .sendable(result))
  }

  /// Answers a call whose value is `Void`. Returns whether a call took it.
  @_alwaysEmitIntoClient
  public func tryResume(_ id: ID) -> Bool where Value == Void { answer(id, .success(Sent(()))) }
}
