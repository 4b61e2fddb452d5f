public import CancellationInternals
public import CooperativeCancellation

/// The calls with one id: whose turn it is, and whose answer is next. A value type without a lock.
///
/// ```
///   free ── ask ──▶ granted ── begin ──▶ calls
///     ▲                ▲  │                │
///     │   the next one │  │ decline        │ answer and leave; or stop
///     └────────────────┴──┴────────────────┘
/// ```
///
/// A call that asks has the turn if no other call is granted or called; others wait in order. A call that begins
/// without asking joins those that were called. The next answer is for the first one without an answer.
///
/// An interrupted call keeps its place until its answer has arrived and its `onCancel` has returned. Otherwise, the
/// next call would receive the answer, or be stopped by that `onCancel`. For the same reason, a call with a value keeps
/// it until its task has read that: the task may be cancelled before, and then `onCancel` runs, too.
///
/// The waits and the calls that it returns are woken and released after unlocking.
@usableFromInline package struct TurnMachine: Sendable {
  @usableFromInline package struct Call: Sendable {
    let number: Int
    @usableFromInline package let wait: Wait
    /// Discards the value of an answer that the wait refuses.
    @usableFromInline let discard: (@Sendable (AnyReply) -> Void)?
    /// Sleeps until the late answer is not expected anymore.
    @usableFromInline var limit: Wait?
    package var isAnswered = false
    var isForwarded = false
    /// Whether it has a value that its task has not read.
    var isUnread = false
  }

  /// The ticket of the call that has its turn, and whose SDK has not been called.
  private var granted: Int?
  /// Those without an answer, in the order in which their SDK was called.
  package private(set) var calls = NumberedQueue<Call>()
  /// The one with a value that its task has not read. Where calls take turns, there is only one: it needs no array.
  private var unread: Call?
  /// Those that have their answer, and whose `onCancel` has not returned, and further ones with an unread value.
  private var answered = NumberedQueue<Call>()
  /// The calls that wait for their turn, by ticket. They get it in the order of their tickets.
  package private(set) var queue = NumberedQueue<Wait>()
  /// Also the last number of a call. Tickets are not reused, not even by the next machine for the id.
  @usableFromInline package private(set) var lastTicket: Int

  @usableFromInline package init(after ticket: Int) { lastTicket = ticket }

  /// How many calls are pending or waiting for their turn.
  @usableFromInline package var count: Int { queue.count + places - unreadCount }

  /// Whether there is no call at all.
  @usableFromInline package var isEmpty: Bool { queue.count + places == 0 }

  private var unreadCount = 0
  private var places: Int {
    calls.count + answered.count + (unread == nil ? 0 : 1) + (granted == nil ? 0 : 1)
  }

  // MARK: The turn

  /// A call asks for its turn. Returns its ticket if it has it.
  package mutating func ask() -> Int? {
    guard places == 0 else { return nil }
    lastTicket += 1
    granted = lastTicket
    return lastTicket
  }

  /// A call waits for its turn, which may have come by now: its wait is answered with the ticket. Returns the ticket.
  package mutating func queue(_ wait: Wait) -> Int {
    if let ticket = ask() {
      // It counts: the task does not sleep, and is not interrupted.
      _ = wait.accept(turn(ticket))
      return ticket
    }
    lastTicket += 1
    queue.append(wait, lastTicket)
    return lastTicket
  }

  private func turn(_ ticket: Int) -> WaitMachine.FinalEvent {
    .answered(in: carrier(of: PendingAnswer<Int>.success(Sent(ticket))))
  }

  /// A call in the queue stops waiting. Returns its wait, to release.
  package mutating func leaveQueue(_ ticket: Int) -> Wait? { queue.remove(ticket) }

  /// A call is about to call the SDK, with the ticket of its turn if it asked for one. Returns its number.
  @usableFromInline package mutating func begin(
    _ wait: Wait,
    ticket: Int?,
    onDiscard discard: (@Sendable (AnyReply) -> Void)?
  ) -> Int {
    if ticket != nil { granted = nil }
    lastTicket += 1
    calls.append(Call(number: lastTicket, wait: wait, discard: discard), lastTicket)
    return lastTicket
  }

  /// The call that has its turn declines it.
  package mutating func decline() -> Effects {
    granted = nil
    return pass(Effects())
  }

  private mutating func pass(_ effects: Effects) -> Effects {
    var effects = effects
    while places == 0, let (ticket, next) = queue.popFirst() {
      if next.accept(turn(ticket)).counts {
        (granted, effects.next) = (ticket, next)
      } else {
        effects.skipped.append(next)
      }
    }
    return effects
  }

  // MARK: The calls

  @usableFromInline package struct Effects: Sendable {
    /// The call that received its answer, or left.
    @usableFromInline package var call: Call?
    /// Whether the call's task is to be woken. Otherwise, the answer is discarded.
    @usableFromInline package var counts = false
    /// The call whose turn begins.
    @usableFromInline package var next: Wait?
    /// The calls that were interrupted before their turn: only to be released.
    fileprivate var skipped: [Wait] = []
  }

  /// An answer arrived. Returns `nil` if no call waits for one.
  @usableFromInline
  package mutating func answer(_ reply: AnyReply, isValue: Bool) -> Effects? {
    calls.popFirst().map { end($0.element, .answered(in: reply), isValue: isValue) }
  }

  /// The SDK will not answer a call: its `operation` threw, or its late answer is not expected anymore.
  @usableFromInline
  package mutating func stop(_ number: Int, _ event: WaitMachine.FinalEvent) -> Effects? {
    guard var call = calls.remove(number) else { return nil }
    call.isForwarded = true
    return end(call, event, isValue: false)
  }

  /// A call joins those that were called, and has its answer at once. Returns its number.
  @usableFromInline
  package mutating func begin(_ wait: Wait, answered answer: AnyReply, isValue: Bool) -> Int {
    lastTicket += 1
    // It is awake, so nothing follows.
    _ = end(
      Call(number: lastTicket, wait: wait, discard: nil),
      .answered(in: answer),
      isValue: isValue
    )
    return lastTicket
  }

  /// The synchronous `operation` of a call threw, perhaps after an answer.
  @usableFromInline package mutating func threw(_ number: Int) -> Effects? {
    leaveAnswered(number) ?? stop(number, .stopped)
  }

  private mutating func end(
    _ call: Call,
    _ event: WaitMachine.FinalEvent,
    isValue: Bool
  ) -> Effects {
    var call = call
    call.isAnswered = true
    let (counts, isInterrupted, mayWithhold) = call.wait.accept(event)
    if isInterrupted, !call.isForwarded { answered.append(call, call.number) }
    if isValue, mayWithhold {
      call.isUnread = true
      unreadCount += 1
      if unread == nil { unread = call } else { answered.append(call, call.number) }
    }
    return pass(Effects(call: call, counts: counts))
  }

  /// The `onCancel` of a call has returned, or its task has read its value. The call leaves if it has its answer.
  @usableFromInline package mutating func leave(_ number: Int, limit: Wait? = nil) -> Effects? {
    if let left = leaveAnswered(number) { return left }
    guard let position = calls.position(of: number) else { return nil }
    calls.slots[position].element?.isForwarded = true
    calls.slots[position].element?.limit = limit
    return calls.slots[position].element.map { Effects(call: $0) }
  }

  private mutating func leaveAnswered(_ number: Int) -> Effects? {
    let isRead = unread?.number == number
    guard let call = isRead ? unread.take() : answered.remove(number) else { return nil }
    if call.isUnread { unreadCount -= 1 }
    return pass(Effects(call: call))
  }

  /// Ends the calls without an answer, then those that wait for their turn, in order, but not one that has its turn.
  mutating func endAll(_ answer: AnyReply, waiting end: AnyReply) -> [Effects] {
    let waiting = queue.slots.compactMap(\.element)
    queue = NumberedQueue()
    var all: [Effects] = []
    while let effects = self.answer(answer, isValue: false) { all.append(effects) }
    for wait in waiting where wait.accept(.answered(in: end)).counts {
      all.append(Effects(next: wait))
    }
    return all
  }
}
