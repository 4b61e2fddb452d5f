/// Decides whose turn it is, where only one call may be pending: a value type without a lock.
///
/// ```
///   free ── ask ──▶ granted ── begin ──▶ call
///     ▲                ▲  │                │
///     │   the next one │  │ decline        │ answer and, after an interruption, forwarding; or fail
///     └────────────────┴──┴────────────────┘
/// ```
///
/// An interrupted call keeps its turn until its answer has arrived and its `onCancel` has returned. Otherwise, the
/// next call would receive the answer, or be stopped by that `onCancel`. Other calls wait in order.
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

  private var holder = Holder.free
  private var queue = ElementBuffer<Waiter>()
  /// The numbers of those in the queue that have stopped waiting.
  private var gone: Set<Int> = []
  private var lastNumber = 0
  private var end: (any Error)?

  package struct Waiter: Sendable {
    let number: Int
    package let wait: Wait
  }

  package init() {}

  /// How many calls are pending or wait for their turn.
  package var count: Int {
    let waiting = queue.count - gone.count
    return if case .free = holder { waiting } else { waiting + 1 }
  }

  package enum Asked: Sendable {
    case granted
    case queued(Int)
    /// Another call is pending, and this one does not wait.
    case busy
    case closed(any Error)
  }

  /// A call asks for its turn. Without a wait, it is not queued.
  package mutating func ask(_ wait: Wait?) -> Asked {
    if let end { return .closed(end) }
    if case .free = holder {
      holder = .granted
      return .granted
    }
    guard let wait else { return .busy }
    lastNumber += 1
    queue.append(Waiter(number: lastNumber, wait: wait), capacity: .max)
    return .queued(lastNumber)
  }

  /// A call in the queue stops waiting. Returns those to release.
  package mutating func leave(_ number: Int) -> [Waiter] {
    // Perhaps the call was already passed over.
    guard let first = queue.first, number >= first.number else { return [] }
    gone.insert(number)
    var released = takeGone()
    // Removes those who left in the middle when they outnumber the others.
    if 2 * gone.count > queue.count {
      var rest = ElementBuffer<Waiter>()
      while let waiter = queue.popFirst() {
        if gone.contains(waiter.number) {
          released.append(waiter)
        } else {
          rest.append(waiter, capacity: .max)
        }
      }
      queue = rest
      gone = []
    }
    return released
  }

  package enum Begun: Sendable {
    case call(Int)
    case closed(any Error)
  }

  /// The call that has its turn is about to call the SDK.
  package mutating func begin(
    _ wait: Wait,
    onDiscard discard: (@Sendable (AnyReply) -> Void)?
  ) -> Begun {
    if let end { return .closed(end) }
    lastNumber += 1
    holder = .call(Call(number: lastNumber, wait: wait, discard: discard))
    return .call(lastNumber)
  }

  /// The turn of a call is over.
  package struct Passed: Sendable {
    /// The call whose turn begins.
    package let next: Waiter?
    /// Kept only to be released.
    let gone: [Waiter]
    let call: Call?
  }

  /// What became of an answer.
  package struct Taken: Sendable {
    package let call: Call
    /// Whether the call's task is to be woken. Otherwise, the answer is discarded.
    package let counts: Bool
    package let passed: Passed?
  }

  /// An answer arrived. Returns `nil` if no call waits for one.
  ///
  /// - Parameter hear: Passes the answer to the wait, which is woken after unlocking.
  package mutating func take(
    _ answer: AnyReply,
    hear: (Wait, WaitMachine.LastWord) -> WaitMachine.Heard = { $0.accept($1) }
  ) -> Taken? {
    guard case .call(var call) = holder, !call.isAnswered else { return nil }
    let heard = hear(call.wait, .answered(in: answer))
    // A wait refuses its first answer only after an interruption.
    let mayPass = heard == .counts || call.isForwarded
    if !mayPass {
      call.isAnswered = true
      holder = .call(call)
    }
    return Taken(call: call, counts: heard != .refused, passed: mayPass ? pass() : nil)
  }

  /// The `onCancel` of a call has returned. Returns the next call, if the answer has arrived.
  package mutating func forwarded(_ number: Int) -> Passed? {
    guard case .call(var call) = holder, call.number == number else { return nil }
    if call.isAnswered { return pass() }
    call.isForwarded = true
    holder = .call(call)
    return nil
  }

  /// The SDK was not called. Returns the next call.
  package mutating func fail(_ number: Int) -> Passed? {
    guard case .call(let call) = holder, call.number == number else { return nil }
    return pass()
  }

  /// The call that has its turn declines it. Returns the next call.
  package mutating func decline() -> Passed? {
    guard case .granted = holder else { return nil }
    return pass()
  }

  private mutating func pass() -> Passed {
    let released = takeGone()
    let next = queue.popFirst()
    let call: Call? = if case .call(let call) = holder { call } else { nil }
    holder = if case .none = next { .free } else { .granted }
    return Passed(next: next, gone: released, call: call)
  }

  /// Closes the machine: no call gets a turn. Returns the pending call, unless it has its answer, and the waiting ones
  /// in order.
  package mutating func close(_ error: any Error) -> (call: Call?, waiters: [Waiter]) {
    if case .none = end { end = error }
    var call: Call?
    if case .call(let pending) = holder, !pending.isAnswered {
      call = pending
      holder = .free
    } else if case .granted = holder {
      holder = .free
    }
    var waiters: [Waiter] = []
    while let waiter = queue.popFirst() { waiters.append(waiter) }
    gone = []
    return (call, waiters)
  }

  private mutating func takeGone() -> [Waiter] {
    var released: [Waiter] = []
    while let first = queue.first, gone.remove(first.number) != nil, let waiter = queue.popFirst() {
      released.append(waiter)
    }
    return released
  }
}
