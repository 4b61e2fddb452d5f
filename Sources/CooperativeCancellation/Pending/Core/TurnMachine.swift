/// Decides whose turn it is, where only one call may be pending: a value type without a lock.
///
/// ```
///   free ── ask ──▶ granted ── begin ──▶ call
///     ▲                ▲  │                │
///     │   the next one │  │ decline        │ answer and, after an interruption, forwarding; or failure
///     └────────────────┴──┴────────────────┘
/// ```
///
/// An interrupted call keeps its turn until its answer has arrived and its `onCancel` has returned. Otherwise, the
/// next call would receive the answer, or be stopped by that `onCancel`. Other calls wait in order.
///
/// The waits and the calls that it returns are woken and released after unlocking.
package struct TurnMachine: Sendable {
  private enum Holder: Sendable {
    case free
    /// The call's SDK has not been called.
    case granted
    case call(Call)
  }

  /// The call whose SDK was called.
  package struct Call: Sendable {
    let number: Int
    package let wait: Wait
    /// Discards the value of an answer that the wait refuses.
    package let discard: (@Sendable (AnyReply) -> Void)?
    var isAnswered = false
    var isForwarded = false
  }

  /// What a call in the queue receives when its turn comes.
  private let turn: AnyReply
  private var holder = Holder.free
  /// The calls that wait for their turn, by number. They get it in the order of their numbers.
  private var queue: [Int: Wait] = [:]
  /// No smaller number is in the queue.
  private var firstNumber = 0
  private var lastNumber = 0
  private var end: (any Error)?

  package init(turn: AnyReply) {
    self.turn = turn
  }

  /// How many calls are pending or waiting for their turn.
  package var count: Int { queue.count + (isFree ? 0 : 1) }

  private var isFree: Bool { if case .free = holder { true } else { false } }

  // MARK: The turn

  /// A call asks for its turn. Returns whether it has it.
  package mutating func ask() throws -> Bool {
    if let end { throw end }
    guard isFree else { return false }
    holder = .granted
    return true
  }

  /// A call waits for its turn, which may have come by now. Returns its number in the queue.
  package mutating func queue(_ wait: Wait, accept: Wait.Accept = { $0.accept($1) }) throws -> Int {
    lastNumber += 1
    if try ask() {
      // It counts: the task does not sleep, and is not interrupted.
      _ = accept(wait, .answered(in: turn))
    } else {
      if queue.isEmpty { firstNumber = lastNumber }
      queue[lastNumber] = wait
    }
    return lastNumber
  }

  /// A call in the queue stops waiting. Returns its wait, to release.
  package mutating func leaveQueue(_ number: Int) -> Wait? {
    let wait = queue.removeValue(forKey: number)
    // A dictionary never frees memory by itself.
    if queue.isEmpty, queue.capacity > 64 { queue = [:] }
    return wait
  }

  /// The call that has its turn is about to call the SDK. Returns its number.
  package mutating func begin(
    _ wait: Wait,
    onDiscard discard: (@Sendable (AnyReply) -> Void)?
  ) throws -> Int {
    if let end { throw end }
    lastNumber += 1
    holder = .call(Call(number: lastNumber, wait: wait, discard: discard))
    return lastNumber
  }

  /// The call that has its turn declines it. Returns the next call.
  package mutating func decline(accept: Wait.Accept = { $0.accept($1) }) -> Wait? {
    guard case .granted = holder else { return nil }
    return pass(accept).next
  }

  /// The turn of a call is over.
  package struct Passed: Sendable {
    /// The call whose turn begins.
    package let next: Wait?
    /// The calls that were interrupted and skipped, and the call whose turn is over: only to be released.
    let skipped: [Wait]
    let call: Call?
  }

  private mutating func pass(_ accept: Wait.Accept) -> Passed {
    let call: Call? = if case .call(let call) = holder { call } else { nil }
    var skipped: [Wait] = []
    while !queue.isEmpty {
      defer { firstNumber += 1 }
      guard let next = leaveQueue(firstNumber) else { continue }
      if accept(next, .answered(in: turn)) != .refused {
        holder = .granted
        return Passed(next: next, skipped: skipped, call: call)
      }
      skipped.append(next)
    }
    holder = .free
    return Passed(next: nil, skipped: skipped, call: call)
  }

  // MARK: The call

  /// What happened to an answer.
  package struct Answered: Sendable {
    package let call: Call
    /// Whether the call's task is to be woken. Otherwise, the answer is discarded.
    package let counts: Bool
    package let passed: Passed?
  }

  /// An answer arrived. Returns `nil` if no call waits for one.
  package mutating func answer(
    _ reply: AnyReply,
    accept: Wait.Accept = { $0.accept($1) }
  ) -> Answered? {
    guard case .call(var call) = holder, !call.isAnswered else { return nil }
    let result = accept(call.wait, .answered(in: reply))
    // A wait refuses its first answer only after an interruption.
    let mayPass = result == .counts || call.isForwarded
    if !mayPass {
      call.isAnswered = true
      holder = .call(call)
    }
    return Answered(call: call, counts: result != .refused, passed: mayPass ? pass(accept) : nil)
  }

  /// The `onCancel` of a call has returned, or the SDK was not called. Returns the next call, if the turn is over.
  package mutating func leave(
    _ number: Int,
    hasFailed: Bool,
    accept: Wait.Accept = { $0.accept($1) }
  ) -> Passed? {
    guard case .call(var call) = holder, call.number == number else { return nil }
    if hasFailed || call.isAnswered { return pass(accept) }
    call.isForwarded = true
    holder = .call(call)
    return nil
  }

  /// Ends the pending call with an answer, unless it has its own, and the waiting ones in order. No call gets a turn
  /// from now on.
  package mutating func close(
    _ error: any Error,
    _ answer: AnyReply,
    waiting end: AnyReply,
    accept: Wait.Accept = { $0.accept($1) }
  ) -> (call: Call?, waiting: [Wait]) {
    if self.end == nil { self.end = error }
    var ended: Call?
    if case .call(let call) = holder {
      if !call.isAnswered {
        _ = accept(call.wait, .answered(in: answer))
        (ended, holder) = (call, .free)
      }
    } else {
      holder = .free
    }
    let waiting = queue.sorted { $0.key < $1.key }.map(\.value)
    queue = [:]
    for wait in waiting { _ = accept(wait, .answered(in: end)) }
    return (ended, waiting)
  }
}
