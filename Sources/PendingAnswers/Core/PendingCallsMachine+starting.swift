public import CancellationInternals
public import CooperativeCancellation

// Calls whose id is known only after their SDK was called, and answers that may be theirs.

extension PendingCallsMachine {
  /// Returns the number of the call.
  @_alwaysEmitIntoClient
  package mutating func start(
    _ reply: Reply<PendingAnswer<Value>>,
    mayWithhold: Bool
  ) throws -> Int {
    if let closingError { throw closingError }
    lastNumber += 1
    starting.append(PendingEntry(reply, lastNumber, mayWithhold: mayWithhold))
    return lastNumber
  }

  /// Gives a starting call its id, and its answer if that has already arrived. Returns whether no
  /// other call has the id.
  @_alwaysEmitIntoClient
  package mutating func name(_ number: Int, _ id: ID, _ outcome: inout Outcome) -> Bool {
    // It may have been answered together with all others.
    guard let call = leaveStart(number), !call.state.hasAnswer else { return true }
    if !insert(call, id) { return false }
    if let parked = takeParked(number, id) {
      var answer: PendingAnswer<Value>? = parked.answer
      // The call takes it, because its own task is here and has not been interrupted.
      _ = self.answer(id, &answer, &outcome)
      outcome.parkedID = parked.id
    }
    return true
  }

  /// Keeps an answer if it may belong to a starting call. Otherwise, the answer stays in the
  /// caller's variable.
  @_alwaysEmitIntoClient
  package mutating func park(_ id: ID, _ answer: inout PendingAnswer<Value>?) -> Bool {
    if starting.isEmpty || closingError != nil { return false }
    if let answer = answer.take() { parked.append((id, answer, lastNumber)) }
    return true
  }

  /// Takes out the answer that arrived for a starting call, whose id is now known.
  @_alwaysEmitIntoClient
  package mutating func takeParked(_ number: Int, _ id: ID) -> Parked? {
    // An answer from before the call began belongs to an earlier call with the same id.
    let isOwn = { (one: Parked) in number <= one.lastNumber && one.id == id }
    return parked.firstIndex(where: isOwn).map { parked.remove(at: $0) }
  }

  /// A call is starting no longer: its `operation` has returned its id, or threw. Returns the call,
  /// or `nil` if all calls were ended meanwhile.
  @_alwaysEmitIntoClient
  package mutating func leaveStart(_ number: Int) -> PendingEntry<Value>? {
    starting.firstIndex { $0.number == number }.map { starting.remove(at: $0) }
  }

  /// Takes out the answers that came before each starting call had begun, because no call can claim
  /// them anymore.
  @_alwaysEmitIntoClient
  package mutating func takeUnclaimed() -> [Parked] {
    if parked.isEmpty { return [] }
    let oldest = starting.first?.number ?? .max
    let count = parked.firstIndex { $0.lastNumber >= oldest } ?? parked.count
    defer { parked.removeFirst(count) }
    return Array(parked.prefix(count))
  }
}
