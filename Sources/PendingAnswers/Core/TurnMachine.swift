public import CancellationInternals
public import CooperativeCancellation

/// What a call waits for before its turn: its ticket.
@usableFromInline package typealias Turn = Reply<PendingAnswer<Int>>

/// The calls with one id: whose turn it is, and whose answer is next. A value type without a lock.
///
/// ```
///   free ── ask ──▶ granted ── begin ──▶ calls
///     ▲                ▲  │                │
///     │   the next one │  │ decline        │ answer, with forwarded or leaveAnswered; or stop
///     └────────────────┴──┴────────────────┘
/// ```
///
/// A call that asks has the turn if no other call is granted or called; others wait in order. A
/// call that begins without asking joins those that were called. The next answer is for the first
/// one without an answer. A call is over when its ``PendingEntry`` gives up its place; then the
/// next one has its turn.
///
/// The waits and the calls that it returns are woken and released after unlocking.
@usableFromInline package struct TurnMachine<Value>: Sendable {
  /// The ticket of the call that has its turn, and whose SDK has not been called.
  @usableFromInline var granted: Int?
  /// Those without an answer, in the order in which their SDK was called.
  @usableFromInline package var calls = NumberedQueue<PendingEntry<Value>>()
  /// The one with a value that its task has not read. Where calls take turns, there is only one,
  /// and it needs no array.
  @usableFromInline var unread: PendingEntry<Value>?
  /// Those that have their answer, and whose `onCancel` has not returned, and further ones with an
  /// unread value, by number. Not a queue, because one that joins with its answer comes before an
  /// older one.
  @usableFromInline var answered: [Int: PendingEntry<Value>] = [:]
  @usableFromInline var unreadCount = 0
  /// What waits until a late answer is not expected anymore, for the calls whose late answers are
  /// limited.
  @usableFromInline var limits: [Int: Wait] = [:]
  /// The calls that wait for their turn, by ticket. They get it in the order of their tickets.
  @usableFromInline package var queue = NumberedQueue<Turn>()
  /// Also the last number of a call. Tickets are not reused, not even by the next machine for the
  /// id.
  @usableFromInline package var lastTicket: Int

  @_alwaysEmitIntoClient
  package init(after ticket: Int) { lastTicket = ticket }

  /// How many calls are pending or waiting for their turn.
  @_alwaysEmitIntoClient
  package var count: Int { queue.count + places - unreadCount }

  /// Whether there is no call at all.
  @_alwaysEmitIntoClient
  package var isEmpty: Bool { queue.count + places == 0 }

  /// How many calls have their turn, or have been called and still need the id. While there is one,
  /// no other one gets the turn.
  @_alwaysEmitIntoClient
  var places: Int {
    calls.count + answered.count + (unread == nil ? 0 : 1) + (granted == nil ? 0 : 1)
  }

  // MARK: The turn

  /// A call asks for its turn. Returns its ticket if it has it.
  @_alwaysEmitIntoClient
  package mutating func ask() -> Int? {
    guard places == 0 else { return nil }
    lastTicket += 1
    granted = lastTicket
    return lastTicket
  }

  /// A call waits for its turn, which may have come by now: then it has its ticket. Returns the
  /// ticket.
  @_alwaysEmitIntoClient
  package mutating func queue(_ turn: Turn) -> Int {
    if let ticket = ask() {
      // It counts, because the task does not sleep, and is not interrupted.
      _ = give(turn, ticket)
      return ticket
    }
    lastTicket += 1
    queue.append(turn, lastTicket)
    return lastTicket
  }

  /// Answers a call that waits for its turn. Whether that counts is for the caller to see, because
  /// the call may have been interrupted.
  @_alwaysEmitIntoClient
  func give(_ turn: Turn, _ ticket: Int) -> Acceptance {
    var answer: PendingAnswer<Int>? = .success(Sent(ticket))
    return turn.accept(&answer)
  }

  /// A call in the queue stops waiting. Returns what it waited for, to release.
  @_alwaysEmitIntoClient
  package mutating func leaveQueue(_ ticket: Int) -> Turn? { queue.remove(ticket) }

  /// A call is about to call the SDK, with the ticket of its turn if it asked for one. Returns its
  /// number.
  @_alwaysEmitIntoClient
  package mutating func begin(
    _ reply: Reply<PendingAnswer<Value>>,
    ticket: Int?,
    mayWithhold: Bool
  ) -> Int {
    if ticket != nil { granted = nil }
    lastTicket += 1
    calls.append(PendingEntry(reply, lastTicket, mayWithhold: mayWithhold), lastTicket)
    return lastTicket
  }

  /// The call that has its turn declines it.
  @_alwaysEmitIntoClient
  package mutating func decline(_ effects: inout Effects<Value>) {
    granted = nil
    passTurn(&effects)
  }

  /// If no call has a place anymore, the next one in the queue gets the turn.
  @_alwaysEmitIntoClient
  mutating func passTurn(_ effects: inout Effects<Value>) {
    while places == 0, let (ticket, next) = queue.popFirst() {
      let acceptance = give(next, ticket)
      if acceptance.counts {
        // It has the turn, and is a place itself, which ends the loop.
        granted = ticket
        effects.next = acceptance.waiting
      } else {
        // It was interrupted, and has not left the queue yet.
        effects.skipped.append(next)
      }
    }
  }

  // MARK: The calls

  /// An answer arrived. Returns whether a call waited for one. If that does not take it, the answer
  /// stays in the caller's variable, to be discarded.
  @_alwaysEmitIntoClient
  package mutating func answer(
    _ answer: inout PendingAnswer<Value>?,
    _ effects: inout Effects<Value>
  ) -> Bool {
    guard var call = calls.popFirst()?.element else { return false }
    let acceptance = call.answer(&answer)
    keepPlace(of: call, after: acceptance, &effects)
    return true
  }

  /// The SDK will not answer a call: its `operation` threw an error or stopped, or its late answer
  /// is not expected anymore. Nothing is left to forward. Returns whether the call was still
  /// without an answer.
  @_alwaysEmitIntoClient
  @discardableResult
  package mutating func stop(
    _ number: Int,
    _ error: inout PendingAnswer<Value>?,
    _ effects: inout Effects<Value>
  ) -> Bool {
    guard var call = calls.remove(number) else { return false }
    // Then the call is over with this event, whatever it was.
    call.state = .forwarded
    let acceptance = error == nil ? call.stop() : call.answer(&error)
    keepPlace(of: call, after: acceptance, &effects)
    return true
  }

  /// A call that was starting joins those that were called, perhaps with its answer. Returns its
  /// number.
  @_alwaysEmitIntoClient
  package mutating func join(
    _ starting: PendingEntry<Value>,
    _ answer: inout PendingAnswer<Value>?,
    _ effects: inout Effects<Value>
  ) -> Int {
    lastTicket += 1
    var call = PendingEntry(starting.reply, lastTicket, mayWithhold: starting.mayWithhold)
    if answer == nil {
      calls.append(call, lastTicket)
    } else {
      let acceptance = call.answer(&answer)
      keepPlace(of: call, after: acceptance, &effects)
    }
    return call.number
  }

  /// The synchronous `operation` of a call threw, perhaps after an answer.
  @_alwaysEmitIntoClient
  package mutating func threw(_ number: Int, _ effects: inout Effects<Value>) {
    // It was answered inside `operation`, and the answer is discarded.
    if leaveAnswered(number, &effects) { return }
    var nothing: PendingAnswer<Value>?
    stop(number, &nothing, &effects)
  }

  /// A call that is not in `calls` anymore has had its final event. It keeps a place if it has a
  /// value that its task may withhold, or an interruption that its task has not forwarded.
  @_alwaysEmitIntoClient
  mutating func keepPlace(
    of call: PendingEntry<Value>,
    after acceptance: Acceptance,
    _ effects: inout Effects<Value>
  ) {
    effects.note(acceptance)
    effects.reply = call.reply
    if !limits.isEmpty { effects.limit = limits.removeValue(forKey: call.number) }
    if call.state.isUnread { unreadCount += 1 }
    if call.state.isUnread, unread == nil {
      unread = call
    } else if !call.state.isOver {
      // It has not forwarded its interruption, or others have an unread value, too.
      answered[call.number] = call
    }
    // If it is over, and was the last one.
    passTurn(&effects)
  }

  /// The `onCancel` of a call has returned. The call leaves if it has its answer. Returns whether
  /// it stays, and expects its late answer, for which `limit` waits.
  @_alwaysEmitIntoClient
  package mutating func forwarded(
    _ number: Int,
    limit: Wait? = nil,
    _ effects: inout Effects<Value>
  ) -> Bool {
    if leaveAnswered(number, &effects) { return false }
    // Not there if it was stopped meanwhile, or ended together with all others.
    guard let position = calls.position(of: number), calls.slots[position].element != nil else {
      return false
    }
    calls.slots[position].element?.state = .forwarded
    if let limit { limits[number] = limit }
    return true
  }

  /// The task of a call with a value is cancelled. The call keeps its place until it leaves, and
  /// counts, because it forwards.
  @_alwaysEmitIntoClient
  package mutating func hold(_ number: Int) {
    if unread?.number == number {
      unread?.state = .forwarding
    } else if answered[number]?.state.isUnread == true {
      answered[number]?.state = .forwarding
    } else {
      // It keeps no place.
      return
    }
    unreadCount -= 1
  }

  /// A call that has its answer needs its place no longer, for instance because its task has read
  /// the value. Returns whether there was such a call.
  @_alwaysEmitIntoClient
  package mutating func leaveAnswered(_ number: Int, _ effects: inout Effects<Value>) -> Bool {
    let isRead = unread?.number == number
    guard let call = isRead ? unread.take() : answered.removeValue(forKey: number) else {
      return false
    }
    if call.state.isUnread { unreadCount -= 1 }
    effects.reply = call.reply
    passTurn(&effects)
    return true
  }

  /// Ends the calls without an answer, then those that wait for their turn, in order, but not one
  /// that has its turn.
  @_alwaysEmitIntoClient
  package mutating func endAll(_ error: any Error, _ all: inout [Effects<Value>]) {
    // Taken out first, so that none of them gets the turn of a call that ends.
    let waiting = queue.takeAll()
    while calls.count > 0 {
      var answer: PendingAnswer<Value>? = .failure(error)
      var effects = Effects<Value>()
      _ = self.answer(&answer, &effects)
      all.append(effects)
    }
    for turn in waiting.slots {
      var answer: PendingAnswer<Int>? = .failure(error)
      guard let acceptance = turn.element?.accept(&answer), acceptance.counts else { continue }
      var effects = Effects<Value>()
      effects.answerIsTaken = true
      effects.next = acceptance.waiting
      all.append(effects)
    }
  }
}
