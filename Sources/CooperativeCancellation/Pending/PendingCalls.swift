/// Calls whose answers come in somewhere else, by id: over a socket, from a process, through a delegate.
///
/// ```swift
/// let replies = PendingCalls<RequestID, Reply>()
///
/// func send(_ request: Request) async throws -> Reply {
///   try await replies.value(for: request.id, timeout: .seconds(5)) {
///     socket.write(request)
///   } onCancel: {
///     socket.write(.cancel(request.id))
///   }
/// }
///
/// // Where the answers come in, on any thread:
/// func received(_ reply: Reply) { replies.resume(reply.id, returning: reply) }
/// func closed(_ error: any Error) { replies.close(throwing: error) }
/// ```
///
/// A call is there before its SDK is called, so an answer that comes at once is not missed; it is gone before it
/// returns. Each call has the guarantees of a bridge: see <doc:Contract#Pending-calls>.
///
/// May be used from any thread and actor. What it calls of yours (closures, an id's `==`) runs with no lock of the
/// library's held.
///
/// A call that waits keeps this object alive, so no release ends it: call ``close(throwing:)`` where the connection
/// ends.
public final class PendingCalls<ID: Hashable & Sendable, Value>: Sendable {
  @usableFromInline typealias Answer = Result<Disconnected<Value>, any Error>

  @usableFromInline let table = CallTable()
  @usableFromInline let unclaimed: (@Sendable (ID, sending Result<Value, any Error>) -> Void)?

  /// Makes one without calls.
  ///
  /// - Parameter onUnclaimed: Receives the answers that came while an SDK was being called which returns its id, and
  ///   that turned out to be for none of those calls: a late one after a cancellation, for instance. Runs once for
  ///   each, in the call that was the last to begin, on its actor; or in ``close(throwing:)``.
  public init(
    onUnclaimed: (@Sendable (_ id: ID, _ answer: sending Result<Value, any Error>) -> Void)? = nil
  ) {
    unclaimed = onUnclaimed
  }

  /// How many calls wait for their answer, or are being made.
  ///
  /// One that was cancelled or timed out with ``CancellationResponse/waitForCallback`` or
  /// ``CancellationResponse/deliverResult`` still does.
  public var count: Int { table.count }

  /// Whether no call waits for its answer.
  public var isEmpty: Bool { count == 0 }

  // MARK: Answers

  /// Answers a call with a value, which may be one that is not `Sendable`.
  ///
  /// - Returns: The value, if no call has that id: it was cancelled or timed out, has had its answer, or never was.
  ///   Otherwise `nil`, and the call returns the value or passes it to its `onDiscard`.
  @inlinable
  public func resume(_ id: ID, returning value: sending Value) -> sending Value? {
    if let call = call(id) {
      call.answer(.success(Disconnected(value)))
      return nil
    }
    let disconnected = Disconnected(value)
    return park(id, .success(disconnected)) ? nil : disconnected.open()
  }

  /// Answers a call with an error, which it throws.
  ///
  /// - Returns: Whether there was a call with that id.
  @inlinable
  @discardableResult
  public func resume(_ id: ID, throwing error: any Error) -> Bool {
    answer(id, .failure(error))
  }

  /// Ends all calls with an error, which they throw, and those that are being made. Later ones begin as ever.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func resumeAll(throwing error: any Error) -> Int {
    let calls = table.takeAll()
    for call in calls { (typed(call) as Reply<Answer>?)?.answer(.failure(error)) }
    return calls.count
  }

  /// Ends all calls, and from now on each one that begins, with an error, without calling its SDK.
  ///
  /// To be called where the connection ends. Closing again changes nothing: the first error counts.
  ///
  /// - Parameter error: What the calls throw.
  public func close(throwing error: any Error) {
    let (calls, unclaimed) = table.close(error)
    for call in calls { (typed(call) as Reply<Answer>?)?.answer(.failure(error)) }
    pass(unclaimed)
  }
}

extension PendingCalls where Value: Sendable {
  /// Answers a call with a value.
  ///
  /// - Returns: Whether there was a call with that id, which then returns the value or passes it to its `onDiscard`.
  ///   Without one, it was cancelled or timed out, has had its answer, or never was: then the value is yours.
  @inlinable
  @discardableResult
  public func resume(_ id: ID, returning value: Value) -> Bool {
    answer(id, .success(Disconnected(value)))
  }

  /// Answers a call with a value or an error.
  ///
  /// - Returns: Whether there was a call with that id.
  @inlinable
  @discardableResult
  public func resume(_ id: ID, with result: Result<Value, some Error>) -> Bool {
    answer(id, result.map { Disconnected($0) }.mapError { $0 })
  }

  /// Answers all calls with the same value, and those that are being made.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func resumeAll(returning value: Value) -> Int {
    let calls = table.takeAll()
    for call in calls { (typed(call) as Reply<Answer>?)?.answer(.success(Disconnected(value))) }
    return calls.count
  }
}

extension PendingCalls where Value == Void {
  /// Answers a call that waits for nothing but its end.
  ///
  /// - Returns: Whether there was a call with that id.
  @inlinable
  @discardableResult
  public func resume(_ id: ID) -> Bool {
    resume(id, returning: ())
  }

  /// Ends all calls without an error, and those that are being made.
  ///
  /// - Returns: How many there were.
  @discardableResult
  public func resumeAll() -> Int {
    resumeAll(returning: ())
  }
}

// What is the same for all answers.
extension PendingCalls {
  /// Takes out the call that has an id.
  @inlinable
  func call(_ id: ID) -> Reply<Answer>? {
    table.take(hash: id.hashValue) { $0.equals(id) }.flatMap { typed($0) }
  }

  @inlinable
  func answer(_ id: ID, _ answer: Answer) -> Bool {
    guard let call = call(id) else { return park(id, answer) }
    call.answer(answer)
    return true
  }

  /// Takes out the call that has an id, which was not found at once, and answers it; or keeps the answer for a call
  /// that is being made. Returns whether it did.
  @usableFromInline
  func park(_ id: ID, _ answer: Answer) -> Bool {
    let key = AnyID(id)
    var parked: AnyReply?
    while true {
      switch table.take(key, isEqual: { $0.equals(id) }, parking: parked) {
      case .call(let call):
        (typed(call) as Reply<Answer>?)?.answer(answer)
        return true
      case .parked:
        return true
      case .nobody(let mayPark):
        if !mayPark || parked != nil { return false }
        let reply = Reply(ReplyContents<Answer>(CallSite(), nil))
        reply.answer(answer)
        parked = reply.erased()
      }
    }
  }

  /// Passes on what nobody has claimed.
  @usableFromInline
  func pass(_ answers: [CallTable.Unclaimed]) {
    guard let unclaimed else { return }
    for one in answers {
      guard let id = one.id.value as? ID, let answer: Answer = take(from: one.answer) else {
        continue
      }
      switch answer {
      case .success(let disconnected):
        if let value = disconnected.open() { unclaimed(id, .success(value)) }
      case .failure(let error): unclaimed(id, .failure(error))
      }
    }
  }
}
