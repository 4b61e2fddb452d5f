/// Decides whose turn it is, where only one call may be pending: a value type without a lock.
///
/// ```
///   free ── ask ──▶ granted ── begin ──▶ call
///     ▲                  ▲ │                │
///     │  the next one:   │ │ decline        │ take, fail
///     └──────────────────┴─┴────────────────┘
/// ```
///
/// A cancelled call keeps its turn until its answer arrives: otherwise the next call would receive the
/// answer. Other calls wait in order.
package struct TurnMachine: Sendable {
  private enum Holder: Sendable {
    case free
    /// The call's SDK has not been called.
    case granted
    /// The number of the call, and its reply.
    case call(Int, AnyReply)
  }

  private var holder = Holder.free
  private var queue = ElementBuffer<Waiter>()
  /// The numbers of those in the queue that have stopped waiting.
  private var gone: Set<Int> = []
  private var lastNumber = 0
  private var end: (any Error)?

  package struct Waiter: Sendable {
    let number: Int
    package let reply: AnyReply
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
    case refused
    case closed(any Error)
  }

  /// A call asks for its turn.
  package mutating func ask(_ reply: AnyReply, mayWait: Bool) -> Asked {
    if let end { return .closed(end) }
    if case .free = holder {
      holder = .granted
      return .granted
    }
    if !mayWait { return .refused }
    lastNumber += 1
    queue.append(Waiter(number: lastNumber, reply: reply), capacity: .max)
    return .queued(lastNumber)
  }

  /// A call in the queue stops waiting. Returns those to release.
  package mutating func leave(_ number: Int) -> [Waiter] {
    // Perhaps the call already has its turn, and will decline.
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
  package mutating func begin(_ reply: AnyReply) -> Begun {
    if let end { return .closed(end) }
    lastNumber += 1
    holder = .call(lastNumber, reply)
    return .call(lastNumber)
  }

  package struct Passed: Sendable {
    /// The call whose turn is over.
    package let call: AnyReply?
    /// The call whose turn begins.
    package let next: Waiter?
    /// Kept only to be released.
    package let gone: [Waiter]
  }

  /// An answer arrived. Returns the call that it is for, if any, and the next one.
  package mutating func take() -> Passed? {
    guard case .call(_, let call) = holder else { return nil }
    return pass(call)
  }

  /// The SDK was not called. Returns the next call.
  package mutating func fail(_ number: Int) -> Passed? {
    guard case .call(number, let call) = holder else { return nil }
    return pass(call)
  }

  /// The call that has its turn declines it. Returns the next call.
  package mutating func decline() -> Passed? {
    guard case .granted = holder else { return nil }
    return pass(nil)
  }

  private mutating func pass(_ call: AnyReply?) -> Passed {
    let released = takeGone()
    let next = queue.popFirst()
    holder = if case .none = next { .free } else { .granted }
    return Passed(call: call, next: next, gone: released)
  }

  /// Closes the machine: no call gets a turn. Returns the pending call, and the waiting ones in order.
  package mutating func close(_ error: any Error) -> (call: AnyReply?, waiters: [Waiter]) {
    if case .none = end { end = error }
    var call: AnyReply?
    if case .call(_, let reply) = holder { call = reply }
    holder = .free
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
