public import CancellationInternals
public import CooperativeCancellation

// The shell around the registry: what the callers' side calls.

/// What a call has in the registry, and what its `operation` returned.
@usableFromInline struct Placed<ID, Request> {
  @usableFromInline let id: ID
  @usableFromInline var number: Int
  @usableFromInline let request: Request

  @_alwaysEmitIntoClient
  init(id: ID, number: Int, request: Request) {
    self.id = id
    self.number = number
    self.request = request
  }
}

extension PendingCalls {
  /// A bridge whose answer arrives elsewhere.
  ///
  /// `enter` puts the reply where an answer finds it, and then calls the SDK. It returns the place
  /// of the call, which the other closures need to tell the registry what became of the call:
  /// `hold` and `onCancel` if its task forwards an interruption, `read` if it has read a value.
  @_alwaysEmitIntoClient
  @inline(__always)
  nonisolated(nonsending) func placedWait<Request>(
    _ options: CallOptions,
    by deadline: consuming Deadline?,
    isNamed: Bool = true,
    in enter: (Reply<PendingAnswer<Value>>) throws -> Placed<ID, Request>,
    onCancel cancel: (Request) -> Void,
    onDiscard discard: (@Sendable (sending Value) -> Void)?
  ) async throws -> sending Value {
    try await bridgedWait(
      options,
      by: deadline,
      as: { .pendingCall(id: isNamed ? $0.id : nil) },
      checks: true,
      in: { try enter($0.reply) },
      hold: { hold($0.id, $0.number) },
      onCancel: {
        cancel($0.request)
        hasForwarded($0.id, $0.number, isAbandoned: options.response.endsAtOnce)
      },
      read: { hasRead($0.id, $0.number) },
      onDiscard: discard ?? self.discard
    ).deliver(options)
  }

  /// A call with an id that is known, from its turn to its value.
  @_alwaysEmitIntoClient
  @inline(__always)
  nonisolated(nonsending) func call<Request>(
    _ id: ID,
    isNamed: Bool = true,
    _ options: CallOptions,
    in operation: () throws -> Request,
    onCancel cancel: (Request) -> Void,
    onDiscard discard: (@Sendable (sending Value) -> Void)?
  ) async throws -> sending Value {
    let deadline = try options.begin()
    let ticket =
      sharing == nil ? nil : try await turn(of: id, isNamed: isNamed, options, by: deadline)
    return try await placedWait(
      options,
      by: deadline,
      isNamed: isNamed,
      in: { reply in
        let number = try begin(reply, id, ticket, options)
        do {
          return Placed(id: id, number: number, request: try operation())
        } catch {
          hasThrown(id, number)
          throw error
        }
      },
      onCancel: cancel,
      onDiscard: discard
    )
  }

  /// Returns the ticket of a call when its turn comes, or `nil` if calls do not wait for their
  /// turn. A turn that is not delivered is passed on.
  @_alwaysEmitIntoClient
  nonisolated(nonsending) func turn(
    of id: ID,
    isNamed: Bool = true,
    _ options: CallOptions,
    by deadline: Deadline?
  ) async throws -> Int? {
    if sharing == .answerInOrder { return nil }
    // No other call has the id, so the turn comes at once, and needs no continuation.
    let ticket = try enterLine(id) { $0.ask() }
    if let ticket { return ticket }
    return try await bridgedWait(
      options.ofTurn,
      by: deadline,
      as: { _ in .turn(id: isNamed ? id : nil) },
      checks: true,
      in: { (turn: CancellableContinuation<Int, any Error>) in
        try enterLine(id) { $0.queue(turn.reply) }
      },
      onCancel: { ticket in
        // It was still waiting. If its turn had come, it is not in the queue anymore.
        _ = perform { $0.inLine(id, &$1) { line, _ in line.leaveQueue(ticket) } }
      },
      // Its turn had come, and its task was cancelled before it read that, so the next one gets it.
      onDiscard: { [self] _ in perform { $0.inLine(id, &$1) { $0.decline(&$1) } } }
    ).deliver(options.ofTurn)
  }

  /// Passes an event to the calls with an id, unless all calls were ended for good.
  @_alwaysEmitIntoClient
  func enterLine<Result: Sendable>(
    _ id: ID,
    _ event: (inout TurnMachine<Value>) -> Result
  ) throws -> Result {
    var outcome = Machine.Outcome()
    return try registry.locked { registry in
      if let error = registry.closingError { throw error }
      return registry.inLine(id, &outcome) { line, _ in event(&line) }
    }
  }

  // MARK: A place

  /// The SDK is about to be called. Returns the number of the call.
  @_alwaysEmitIntoClient
  func begin(
    _ reply: Reply<PendingAnswer<Value>>,
    _ id: ID,
    _ ticket: Int?,
    _ options: CallOptions
  ) throws -> Int {
    let mayWithhold = mayWithhold(options)
    if sharing != nil {
      return try enterLine(id) { $0.begin(reply, ticket: ticket, mayWithhold: mayWithhold) }
    }
    // The id is this call's own, so it is refused if another call has it.
    let number = try registry.locked { try $0.begin(reply, id, mayWithhold: mayWithhold) }
    guard let number else { throw AlreadyPendingError(callSite: options.callSite) }
    return number
  }

  /// Whether a call with a value keeps its place until its task has read that. Calls that do not
  /// take turns have nothing to keep for each other.
  @_alwaysEmitIntoClient
  func mayWithhold(_ options: CallOptions) -> Bool {
    sharing != .answerInOrder && options.response.checksAfter
  }

  /// Calls the SDK for a call that has begun without an id, and gives it the id that the SDK
  /// returns, and its answer if that has already arrived.
  @_alwaysEmitIntoClient
  func start(
    _ reply: Reply<PendingAnswer<Value>>,
    _ options: CallOptions,
    in operation: () throws -> ID
  ) throws -> Placed<ID, ID> {
    let mayWithhold = mayWithhold(options)
    let number = try registry.locked { try $0.start(reply, mayWithhold: mayWithhold) }
    let id: ID
    do {
      id = try operation()
    } catch {
      // It will claim no answer, and others may be the last that could have.
      let (_, unclaimed) = registry.extract { ($0.leaveStart(number), $0.takeUnclaimed()) }
      pass(unclaimed)
      throw error
    }
    var outcome = Machine.Outcome()
    var parked: Machine.Parked?
    var place = Placed(id: id, number: number, request: id)
    let (isTaken, unclaimed) = registry.locked { registry in
      var isTaken = false
      if sharing == nil {
        isTaken = !registry.name(number, id, &outcome)
      } else if let joined = registry.join(number, id, &parked, &outcome) {
        place.number = joined
      }
      return (isTaken, registry.takeUnclaimed())
    }
    // The call's own task is here, so no task is to be woken.
    pass(unclaimed)
    if isTaken { throw AlreadyPendingError(callSite: options.callSite) }
    return place
  }

  /// The synchronous `operation` of a call threw.
  @_alwaysEmitIntoClient
  func hasThrown(_ id: ID, _ number: Int) {
    perform { registry, outcome in
      if sharing == nil {
        registry.threw(id, number, &outcome)
      } else {
        registry.inLine(id, &outcome) { $0.threw(number, &$1) }
      }
    }
  }

  /// An asynchronous `operation` threw, or stopped because its task was cancelled.
  @_alwaysEmitIntoClient
  func fail(_ id: ID, _ number: Int, _ error: (any Error)?) {
    var answer: PendingAnswer<Value>? = error.map { .failure($0) }
    perform { registry, outcome in
      if sharing == nil {
        registry.fail(id, number, &answer, &outcome)
      } else {
        registry.inLine(id, &outcome) { $0.stop(number, &answer, &$1) }
      }
    }
  }

  /// The `onCancel` of a call has returned. Frees the id, unless the answer may still arrive.
  @_alwaysEmitIntoClient
  func hasForwarded(_ id: ID, _ number: Int, isAbandoned: Bool) {
    if sharing == nil {
      perform { $0.forwarded(id, number, isAbandoned: isAbandoned, &$1) }
    } else {
      hasForwardedInLine(id, number)
    }
  }

  /// The task of a call with a value is cancelled. Returns whether the call keeps its id until it
  /// has forwarded that.
  @_alwaysEmitIntoClient
  func hold(_ id: ID, _ number: Int) -> Bool {
    if sharing == nil { return registry.locked { $0.hold(id, number) } }
    perform { $0.inLine(id, &$1) { line, _ in line.hold(number) } }
    return true
  }

  /// The task of a call has read its value.
  @_alwaysEmitIntoClient
  func hasRead(_ id: ID, _ number: Int) {
    if sharing == nil {
      _ = registry.extract { $0.read(id, number) }
    } else if sharing == .waitForTurn {
      _ = perform { $0.inLine(id, &$1) { $0.leaveAnswered(number, &$1) } }
    }
  }

  /// The same for a call that shares its id. Even if it was abandoned, it keeps its place as long
  /// as its late answer may arrive, because otherwise the next call with the id would get that.
  @_alwaysEmitIntoClient
  @inline(never)
  func hasForwardedInLine(_ id: ID, _ number: Int) {
    let allowsNone = lateAnswers?.isOver == true
    let deadline = allowsNone ? nil : lateAnswers?.begin()
    let limit = deadline.map { _ in Wait(response: .abandonCallback) }
    let stays = perform { $0.inLine(id, &$1) { $0.forwarded(number, limit: limit, &$1) } }
    // It has its answer, or had left before.
    if !stays { return }
    // With no time for late answers, the SDK forgets a cancelled call.
    if allowsNone { return expectNoAnswer(id, number) }
    // Without a limit, it stays until its late answer.
    guard let deadline, let limit else { return }
    // Waits for the late answer, which interrupts this wait, or for the deadline.
    Task.detached { [self] in
      let timer = WaitTimer(limit, until: deadline)
      await limit.sleepAnywhere()
      timer.stop(limit)
      expectNoAnswer(id, number)
    }
  }

  /// The late answer of a call will not come, or not in time. Gives up its place.
  @_alwaysEmitIntoClient
  func expectNoAnswer(_ id: ID, _ number: Int) {
    var nothing: PendingAnswer<Value>?
    _ = perform { $0.inLine(id, &$1) { $0.stop(number, &nothing, &$1) } }
  }
}
