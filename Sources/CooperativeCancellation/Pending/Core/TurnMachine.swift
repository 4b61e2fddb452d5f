/// Whose turn it is, where one call at a time may be pending: a value type without a lock.
///
/// ```
///   nobody ── ask ──▶ granted ── begin ──▶ call
///     ▲                  ▲ │                │
///     │  the next one:   │ │ decline        │ take, fail
///     └──────────────────┴─┴────────────────┘
/// ```
///
/// A call that was cancelled keeps its turn until its answer has come: that could not be told from the answer to the
/// next one. Who asks meanwhile is kept in order.
package struct TurnMachine: Sendable {
  private enum Holder: Sendable {
    case nobody
    /// Its SDK has not been called.
    case granted
    /// With its number.
    case call(Int, AnyReply)
  }

  private var holder = Holder.nobody
  private var queue = ElementBuffer<Waiter>()
  /// Those in the queue that wait no more.
  private var gone: Set<Int> = []
  private var lastNumber = 0
  private var end: (any Error)?

  package struct Waiter: Sendable {
    let number: Int
    package let reply: AnyReply
  }

  package init() {}

  /// How many calls are pending, or wait for their turn.
  package var count: Int {
    let waiting = queue.count - gone.count
    return if case .nobody = holder { waiting } else { waiting + 1 }
  }

  package enum Asked: Sendable {
    case granted
    case queued(Int)
    case refused
    case closed(any Error)
  }

  /// A call wants its turn.
  package mutating func ask(_ reply: AnyReply, mayWait: Bool) -> Asked {
    if let end { return .closed(end) }
    if case .nobody = holder {
      holder = .granted
      return .granted
    }
    if !mayWait { return .refused }
    lastNumber += 1
    queue.append(Waiter(number: lastNumber, reply: reply), capacity: .max)
    return .queued(lastNumber)
  }

  /// A call in the queue waits no more. Returns those to be released.
  package mutating func leave(_ number: Int) -> [Waiter] {
    // Perhaps it has its turn by now, and will decline.
    guard let first = queue.first, number >= first.number else { return [] }
    gone.insert(number)
    var released = takeGone()
    // Those who left in the middle go out when they are the most.
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
    /// Who has it now.
    package let next: Waiter?
    /// To be released.
    package let gone: [Waiter]
  }

  /// An answer came. Returns the call that it is for, if there is one, and who is next.
  package mutating func take() -> Passed? {
    guard case .call(_, let call) = holder else { return nil }
    return pass(call)
  }

  /// The SDK was not called. Returns who is next.
  package mutating func fail(_ number: Int) -> Passed? {
    guard case .call(number, let call) = holder else { return nil }
    return pass(call)
  }

  /// Who has its turn does not want it any more. Returns who is next.
  package mutating func decline() -> Passed? {
    guard case .granted = holder else { return nil }
    return pass(nil)
  }

  private mutating func pass(_ call: AnyReply?) -> Passed {
    let released = takeGone()
    let next = queue.popFirst()
    holder = if case .none = next { .nobody } else { .granted }
    return Passed(call: call, next: next, gone: released)
  }

  /// From now on, nobody gets a turn. Returns the call, and those who wait for theirs, in order.
  package mutating func close(_ error: any Error) -> (call: AnyReply?, waiters: [Waiter]) {
    if case .none = end { end = error }
    var call: AnyReply?
    if case .call(_, let reply) = holder { call = reply }
    holder = .nobody
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
