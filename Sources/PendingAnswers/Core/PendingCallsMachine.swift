public import CancellationInternals
public import CooperativeCancellation

/// The calls that wait for an answer, by id: a value type without a lock.
///
/// ```
///   begin ───────────────────────┐
///                                ▼
///   start ─▶ starting ─ name ─▶ waiting ─ answer, forwarded, read, threw ─▶ gone
///               │                                                           ▲
///               └─ answer to all, leaveStart ───────────────────────────────┘
/// ```
///
/// A call keeps its id as long as a ``PendingEntry`` has its place. With a value that its task has
/// not read, it gives the id up to another call that begins, because its task can then forward
/// nothing anymore, so it returns the value. Calls that share their ids are in a ``TurnMachine``
/// for each id instead.
///
/// While a call is starting, its id is unknown, and an answer with an unknown id may belong to it.
/// The registry parks such an answer until the call is named, or until all calls that were starting
/// at that time have begun. Starting is synchronous, so there are at most as many as threads, and
/// arrays are enough.
///
/// The `==` and `hash(into:)` of the ids run under the caller's lock. Results are woken or released
/// after unlocking.
@usableFromInline package struct PendingCallsMachine<ID: Hashable & Sendable, Value>: Sendable {
  /// An answer without a call, and the number of the last call that had begun.
  @usableFromInline package typealias Parked = (
    id: ID, answer: PendingAnswer<Value>, lastNumber: Int
  )
  /// What follows from an event, and the id to release, if no call has it anymore.
  @usableFromInline package struct Outcome: Sendable {
    @usableFromInline package var effects = Effects<Value>()
    @usableFromInline package var id: ID?
    /// That of an answer that was parked: only to be released.
    @usableFromInline package var parkedID: ID?

    @_alwaysEmitIntoClient
    package init() {}
  }

  /// The calls that do not share their ids.
  @usableFromInline package var waiting: [ID: PendingEntry<Value>] = [:]
  /// How many of them have a value that their tasks have not read.
  @usableFromInline var unreadCount = 0
  /// The calls that share their ids.
  @usableFromInline package var lines: [ID: TurnMachine<Value>] = [:]
  @usableFromInline var countInLines = 0
  /// In the order in which they began.
  @usableFromInline package var starting: [PendingEntry<Value>] = []
  /// In order of arrival.
  @usableFromInline package var parked: [Parked] = []
  @usableFromInline package var lastNumber = 0
  /// What later calls throw.
  @usableFromInline var closingError: (any Error)?

  @_alwaysEmitIntoClient
  package init() {}

  /// How many calls are unanswered, or have not forwarded their interruption.
  @_alwaysEmitIntoClient
  package var count: Int {
    waiting.count - unreadCount + starting.count { !$0.state.hasAnswer } + countInLines
  }

  /// Whether there is no call at all.
  package var isEmpty: Bool { waiting.isEmpty && starting.isEmpty && lines.isEmpty }

  // MARK: A call with an id of its own

  /// Returns the call's number, or `nil` if another call has the id.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func begin(
    _ reply: Reply<PendingAnswer<Value>>,
    _ id: ID,
    mayWithhold: Bool
  ) throws -> Int? {
    if let closingError { throw closingError }
    lastNumber += 1
    let entry = PendingEntry(reply, lastNumber, mayWithhold: mayWithhold)
    return insert(entry, id) ? lastNumber : nil
  }

  /// Returns whether no other call has the id, but for one that gives it up.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func insert(_ entry: PendingEntry<Value>, _ id: ID) -> Bool {
    // One search in most cases.
    guard let other = waiting.updateValue(entry, forKey: id) else { return true }
    // It gives the id up. Its task will find that it cannot hold it, and returns its value.
    if other.state.isUnread {
      unreadCount -= 1
      return true
    }
    // The other one still needs it, so this one is refused, and the id goes back.
    waiting[id] = other
    return false
  }

  /// The `onCancel` of a call has returned. The call leaves if it has its answer, or was abandoned.
  /// Otherwise, its task waits for the answer, and it keeps its id until then.
  @_alwaysEmitIntoClient
  package mutating func forwarded(
    _ id: ID,
    _ number: Int,
    isAbandoned: Bool,
    _ outcome: inout Outcome
  ) {
    guard let (index, state) = find(id, number) else { return }
    if state.isUnread { unreadCount -= 1 }
    if isAbandoned || state.hasAnswer {
      remove(at: index, &outcome)
    } else {
      waiting.values[index].state = .forwarded
    }
  }

  /// The synchronous `operation` of a call threw, perhaps after an answer.
  @_alwaysEmitIntoClient
  package mutating func threw(_ id: ID, _ number: Int, _ outcome: inout Outcome) {
    guard let (index, state) = find(id, number) else { return }
    if state.isUnread { unreadCount -= 1 }
    remove(at: index, &outcome)
  }

  /// The task of a call has read its value. Returns the call, to release, unless another one has
  /// the id by now.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func read(_ id: ID, _ number: Int) -> (key: ID, value: PendingEntry<Value>)? {
    guard let (index, _) = find(id, number) else { return nil }
    unreadCount -= 1
    return waiting.removeAndShrink(at: index)
  }

  /// The task of a call with a value is cancelled. Returns whether the call still has its id: then
  /// it keeps that until it leaves.
  @_alwaysEmitIntoClient
  package mutating func hold(_ id: ID, _ number: Int) -> Bool {
    guard let (index, _) = find(id, number) else { return false }
    unreadCount -= 1
    waiting.values[index].state = .forwarding
    return true
  }

  /// Finds a call, unless another one has the id by now.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func find(
    _ id: ID,
    _ number: Int
  ) -> (index: [ID: PendingEntry<Value>].Index, state: PendingEntry<Value>.State)? {
    guard let index = waiting.index(forKey: id) else { return nil }
    // In place, because to read an entry is to copy it, with its references.
    let (found, state) = { (entry: inout PendingEntry<Value>) in (entry.number, entry.state) }(
      &waiting.values[index]
    )
    return found == number ? (index, state) : nil
  }

  /// Passes an answer to the call with an id. Returns whether it took it; if not, the answer stays
  /// in the caller's variable.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func answer(
    _ id: ID,
    _ answer: inout PendingAnswer<Value>?,
    _ outcome: inout Outcome
  ) -> Bool {
    guard let index = waiting.index(forKey: id) else { return false }
    return pass(to: index, &outcome) { $0.answer(&answer) }
  }

  /// The `operation` of a call, which is asynchronous, threw an error, or stopped because it was
  /// cancelled.
  @_alwaysEmitIntoClient
  package mutating func fail(
    _ id: ID,
    _ number: Int,
    _ error: inout PendingAnswer<Value>?,
    _ outcome: inout Outcome
  ) {
    guard let (index, _) = find(id, number) else { return }
    _ = pass(to: index, &outcome) { error == nil ? $0.stop() : $0.answer(&error) }
  }

  /// Passes a final event to a call, which leaves if nothing keeps its place. Returns whether it
  /// takes the event.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func pass(
    to index: [ID: PendingEntry<Value>].Index,
    _ outcome: inout Outcome,
    _ event: (inout PendingEntry<Value>) -> Acceptance
  ) -> Bool {
    let state = { (entry: inout PendingEntry<Value>) -> PendingEntry<Value>.State? in
      if entry.state.hasAnswer { return nil }
      let acceptance = event(&entry)
      // It was abandoned, and the answer is still the caller's. It leaves when its `onCancel` has
      // returned.
      if !acceptance.counts { return nil }
      outcome.effects.note(acceptance)
      return entry.state
    }(&waiting.values[index])
    switch state {
    case nil:
      // It takes no answer, or has one.
      return false
    case .over:
      // Nothing is left to forward or to read.
      remove(at: index, &outcome)
    case .unread:
      // Its task may still withhold the value, so it keeps the id.
      unreadCount += 1
    case .waiting, .forwarded, .forwarding:
      // It was interrupted before, and its `onCancel` has not returned.
      break
    }
    return true
  }

  /// Removes a call. Its reply and its id are released after unlocking.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func remove(at index: [ID: PendingEntry<Value>].Index, _ outcome: inout Outcome) {
    let (id, entry) = waiting.removeAndShrink(at: index)
    outcome.effects.reply = entry.reply
    outcome.id = id
  }

  // MARK: All calls

  @usableFromInline package struct Ended: Sendable {
    /// What follows for each call that took the error, in the order in which they began, those with
    /// one id in order.
    @usableFromInline package var effects: [Effects<Value>] = []
    /// The answers that no call can claim anymore.
    @usableFromInline package var unclaimed: [Parked] = []
    /// Only to be released.
    @usableFromInline var ids: [ID: PendingEntry<Value>] = [:]
    /// Only to be released.
    @usableFromInline package var lines: [ID: TurnMachine<Value>] = [:]

    @_alwaysEmitIntoClient
    package init() {}
  }

  /// Ends all calls with an error, also those that are starting. If it `closes`, later calls throw
  /// the error.
  @_alwaysEmitIntoClient
  package mutating func endAll(_ error: any Error, closes: Bool, _ ended: inout Ended) {
    var calls: [(number: Int, effects: Effects<Value>)] = []
    func end(_ call: inout PendingEntry<Value>) {
      if call.state.hasAnswer { return }
      var answer: PendingAnswer<Value>? = .failure(error)
      var effects = Effects<Value>()
      effects.note(call.answer(&answer))
      if effects.answerIsTaken { calls.append((call.number, effects)) }
    }
    swap(&ended.ids, &waiting)
    for (id, var call) in ended.ids {
      end(&call)
      if !call.state.isOver { waiting[id] = call }
    }
    for index in starting.indices { end(&starting[index]) }
    calls.sort { $0.number < $1.number }
    ended.effects = calls.map(\.effects)
    endLines(error, closes: closes, &ended)
    if closes {
      swap(&ended.unclaimed, &parked)
      closingError = closingError ?? error
    }
  }
}
