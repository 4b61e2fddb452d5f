/// The calls with one id: whose turn it is, and whose answer is next. A value type without a lock.
///
/// ```
///   free ── ask ──▶ granted ── begin ──▶ calls
///     ▲                ▲  │                │
///     │   the next one │  │ decline        │ answer and, after an interruption, forwarding; or stop
///     └────────────────┴──┴────────────────┘
/// ```
///
/// A call that asks has the turn if no other call is granted or called; others wait in order. A call that begins
/// without asking joins those that were called. The next answer is for the first one without an answer.
///
/// An interrupted call keeps its place until its answer has arrived and its `onCancel` has returned. Otherwise, the
/// next call would receive the answer, or be stopped by that `onCancel`.
///
/// The waits and the calls that it returns are woken and released after unlocking.
@usableFromInline
package struct TurnMachine: Sendable {
  @usableFromInline
  package struct Call: Sendable {
    let number: Int
    @usableFromInline package let wait: Wait
    /// Discards the value of an answer that the wait refuses.
    @usableFromInline let discard: (@Sendable (AnyReply) -> Void)?
    /// Sleeps until the late answer is not expected anymore.
    @usableFromInline var limit: Wait?
    package var isAnswered = false
    var isForwarded = false
  }

  /// The ticket of the call that has its turn, and whose SDK has not been called.
  private var granted: Int?
  /// In the order in which their SDK was called.
  private var calls: [Call] = []
  /// The calls that wait for their turn, by ticket. They get it in the order of their tickets.
  private var queue: [Int: Wait] = [:]
  /// No smaller ticket is in the queue.
  private var firstTicket = 0
  /// Tickets are not reused, not even by the next machine for the id.
  @usableFromInline package private(set) var lastTicket: Int

  @usableFromInline
  package init(after ticket: Int) {
    lastTicket = ticket
  }

  /// How many calls are pending or waiting for their turn.
  @usableFromInline package var count: Int { queue.count + calls.count + (granted == nil ? 0 : 1) }

  private var isFree: Bool { granted == nil && calls.isEmpty }

  // MARK: The turn

  /// A call asks for its turn. Returns its ticket if it has it.
  @usableFromInline
  package mutating func ask() -> Int? {
    guard isFree else { return nil }
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
    if queue.isEmpty { firstTicket = lastTicket }
    queue[lastTicket] = wait
    return lastTicket
  }

  private func turn(_ ticket: Int) -> WaitMachine.FinalEvent {
    .answered(in: carrier(of: PendingAnswer<Int>.success(Sent(ticket))))
  }

  /// A call in the queue stops waiting. Returns its wait, to release.
  package mutating func leaveQueue(_ ticket: Int) -> Wait? {
    let wait = queue.removeValue(forKey: ticket)
    // A dictionary never frees memory by itself.
    if queue.isEmpty, queue.capacity > 64 { queue = [:] }
    return wait
  }

  /// A call is about to call the SDK, with the ticket of its turn if it asked for one.
  @usableFromInline
  package mutating func begin(
    _ wait: Wait,
    _ number: Int,
    ticket: Int?,
    onDiscard discard: (@Sendable (AnyReply) -> Void)?
  ) {
    if ticket != nil { granted = nil }
    calls.append(Call(number: number, wait: wait, discard: discard))
  }

  /// The call that has its turn declines it.
  @usableFromInline
  package mutating func decline() -> Effects {
    granted = nil
    return pass(Effects())
  }

  private mutating func pass(_ effects: Effects) -> Effects {
    var effects = effects
    while isFree, !queue.isEmpty {
      defer { firstTicket += 1 }
      guard let next = leaveQueue(firstTicket) else { continue }
      if next.accept(turn(firstTicket)).counts {
        (granted, effects.next) = (firstTicket, next)
      } else {
        effects.skipped.append(next)
      }
    }
    return effects
  }

  // MARK: The calls

  @usableFromInline
  package struct Effects: Sendable {
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
  package mutating func answer(_ reply: AnyReply) -> Effects? {
    guard let index = calls.firstIndex(where: { !$0.isAnswered }) else { return nil }
    return end(index, .answered(in: reply))
  }

  /// The SDK will not answer a call: its `operation` threw, or its late answer is not expected anymore.
  @usableFromInline
  package mutating func stop(_ number: Int, _ event: WaitMachine.FinalEvent) -> Effects? {
    guard let index = index(of: number), !calls[index].isAnswered else { return nil }
    calls[index].isForwarded = true
    return end(index, event)
  }

  private mutating func end(_ index: Int, _ event: WaitMachine.FinalEvent) -> Effects {
    calls[index].isAnswered = true
    let call = calls[index]
    let (counts, isInterrupted) = call.wait.accept(event)
    if !isInterrupted || call.isForwarded { calls.remove(at: index) }
    return pass(Effects(call: call, counts: counts))
  }

  /// The `onCancel` of a call has returned. The call leaves if it has its answer.
  package mutating func leave(_ number: Int, limit: Wait? = nil) -> Effects? {
    guard let index = index(of: number) else { return nil }
    (calls[index].isForwarded, calls[index].limit) = (true, limit)
    let call = calls[index]
    if call.isAnswered { calls.remove(at: index) }
    return pass(Effects(call: call))
  }

  private func index(of number: Int) -> Int? { calls.firstIndex { $0.number == number } }

  /// Ends the calls without an answer, and then those that wait for their turn, in order. A call that has its turn is a
  /// later one.
  package mutating func endAll(_ answer: AnyReply, waiting end: AnyReply) -> [Effects] {
    let waiting = queue.sorted { $0.key < $1.key }.map(\.value)
    queue = [:]
    var all: [Effects] = []
    while let effects = self.answer(answer) { all.append(effects) }
    for wait in waiting where wait.accept(.answered(in: end)).counts {
      all.append(Effects(next: wait))
    }
    return all
  }
}
