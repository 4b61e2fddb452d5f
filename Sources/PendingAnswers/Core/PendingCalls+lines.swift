public import CancellationInternals
public import CooperativeCancellation

// Calls that share their id: each id has a ``TurnMachine`` while it has calls.

extension PendingCallsMachine {
  /// Passes an event to the calls with an id. Also returns the id, to release, if none is left.
  @_alwaysEmitIntoClient
  package mutating func inLine<Result>(
    _ id: ID,
    _ body: (inout TurnMachine) -> Result?
  ) -> (result: Result?, id: ID?) {
    func pass(
      to line: inout TurnMachine
    ) -> (before: Int, result: Result?, after: Int, isEmpty: Bool) {
      (line.count, body(&line), line.count, line.isEmpty)
    }
    let (before, result, after, isEmpty) = pass(
      to: &lines[id, default: TurnMachine(after: lastNumber)]
    )
    countInLines += after - before
    guard isEmpty, let index = lines.index(forKey: id) else { return (result, nil) }
    let (id, line) = lines.removeAndShrink(at: index)
    lastNumber = max(lastNumber, line.lastTicket)
    return (result, id)
  }

  /// A starting call has its id, and joins the calls that have it, because its SDK has been called. Returns its number there,
  /// or `nil` if it was answered together with all others, and what is to be released.
  @_alwaysEmitIntoClient
  package mutating func join(
    _ number: Int,
    _ id: ID,
    isAwaited: Bool,
    onDiscard discard: (@Sendable (AnyReply) -> Void)?
  ) -> (number: Int?, own: Parked?, id: ID?) {
    guard let call = leaveStart(number), !call.state.hasAnswer else { return (nil, nil, nil) }
    let own = takeParked(number, id)
    let (number, lastID) = inLine(id) { line in
      guard let own else { return line.begin(call.wait, ticket: nil, onDiscard: discard) }
      return line.begin(call.wait, answered: own.answer, isValue: own.isValue && isAwaited)
    }
    return (number, own, lastID)
  }

  /// Ends all calls that share their ids, those with one id in order, without searches. Also returns what to release.
  package mutating func endLines(
    _ answer: AnyReply,
    waiting end: AnyReply
  ) -> (ended: [TurnMachine.Effects], all: [ID: TurnMachine]) {
    var ended: [TurnMachine.Effects] = []
    let all = lines
    (lines, countInLines) = ([:], 0)
    for (id, var line) in all {
      ended += line.endAll(answer, waiting: end)
      if !line.isEmpty { lines[id] = line }
      countInLines += line.count
      lastNumber = max(lastNumber, line.lastTicket)
    }
    return (ended, all)
  }
}

extension PendingCalls {
  /// Returns the ticket of a call when its turn comes, or `nil` if calls do not wait for their turn. The wait is a
  /// pending call, too, which is answered with the ticket. A turn that is not delivered is passed on.
  @usableFromInline nonisolated(nonsending) func turn(
    of id: ID,
    isNamed: Bool = true,
    _ options: CallOptions,
    by deadline: Deadline?
  ) async throws -> Int? {
    if sharing == .answerInOrder { return nil }
    if let ticket = try inOpenLine(id, { $0.ask() }) { return ticket }
    return try await pendingBridge(
      options.ofTurn,
      as: { _ in .turn(id: isNamed ? id : nil) },
      by: deadline,
      register: { wait in try inOpenLine(id) { $0.queue(wait) } ?? 0 },
      in: { _, _ in },
      onCancel: { _ in },
      leave: { ticket, _ in _ = registry.extract { $0.inLine(id) { $0.leaveQueue(ticket) } } },
      onDiscard: { [self] (_: Int) in perform(in: id) { $0.decline() } }
    )
  }

  @_alwaysEmitIntoClient
  func inOpenLine(_ id: ID, _ body: (inout TurnMachine) -> Int?) throws -> Int? {
    try registry.locked { registry in
      if let end = registry.end { throw end }
      return registry.inLine(id, body).result
    }
  }

  /// The SDK is about to be called. Returns the number of the call.
  @_alwaysEmitIntoClient
  func begin(
    _ wait: Wait,
    _ id: ID,
    _ ticket: Int?,
    _ callSite: CallSite,
    _ discard: (@Sendable (sending Value) -> Void)?
  ) throws -> Int {
    if sharing == nil { return try registry.locked { try $0.add(wait, id, callSite) } }
    let discard = discarding(to: discard)
    return try inOpenLine(id) { $0.begin(wait, ticket: ticket, onDiscard: discard) } ?? 0
  }

  /// Passes an event to the calls with an id, and performs what follows.
  @discardableResult
  @_alwaysEmitIntoClient
  func perform(
    in id: ID,
    _ answer: AnyReply? = nil,
    isValue: Bool = false,
    _ event: (inout TurnMachine) -> TurnMachine.Effects?
  ) -> Bool {
    let (line, other) = registry.extract { registry in
      let line = registry.inLine(id, event)
      // A call may have the answer whose id is not known yet.
      let other = answer.flatMap { answer in
        line.result == nil ? registry.take(id, answer, isValue: isValue) : nil
      }
      return (line, other)
    }
    if let effects = line.result { perform(effects, answer) }
    if case .parked? = other { return true }
    return line.result != nil
  }

  @_alwaysEmitIntoClient
  func perform(_ effects: TurnMachine.Effects, _ answer: AnyReply?) {
    effects.call?.limit?.interrupt(.cancelled)
    if effects.counts {
      effects.call?.wait.wake()
    } else if let answer {
      effects.call?.discard?(answer)
    }
    effects.next?.wake()
  }

  /// The `onCancel` of a call has returned. The call keeps its place as long as its late answer may arrive.
  @usableFromInline func forwarded(_ id: ID, _ number: Int) {
    let isOver = lateAnswers?.isOver == true
    let deadline = isOver ? nil : lateAnswers?.begin()
    let limit = deadline.map { _ in Wait(response: .abandonCallback) }
    let left = registry.extract { $0.inLine(id) { $0.leave(number, limit: limit) } }.result
    guard let left else { return }
    if left.call?.isAnswered == true { return perform(left, nil) }
    if isOver { return _ = perform(in: id) { $0.stop(number, .stopped) } }
    guard let deadline, let limit else { return }
    Task.detached { [self] in
      let timer = WaitTimer(limit, until: deadline)
      await limit.sleepAnywhere()
      timer.stop(limit)
      perform(in: id) { $0.stop(number, .stopped) }
    }
  }

  /// Ends all calls that share their ids, those with one id in order. Returns how many took the error.
  @usableFromInline func endLines(_ error: any Error, closes: Bool) -> Int {
    let answer = carrier(ofShared: PendingAnswer<Value>.failure(error))
    let end = carrier(ofShared: PendingAnswer<Int>.failure(error))
    let (starting, ended, _, unclaimed) = registry.extract { registry in
      let (starting, _, unclaimed) = registry.takeAll(answer, closingWith: closes ? error : nil)
      let (ended, all) = registry.endLines(answer, waiting: end)
      if closes { (registry.lines, registry.countInLines) = ([:], 0) }
      return (starting, ended, all, unclaimed)
    }
    for effects in ended { perform(effects, nil) }
    pass(unclaimed)
    return starting.count + ended.count { $0.counts || $0.next != nil }
  }
}
