package import CancellationInternals
internal import CooperativeCancellation

/// The calls of ``SharedCalls``, by key: a value type without a lock.
///
/// ```
///   join, the first ──▶ running ── leave, the last ──▶ gone: its task is cancelled
///                        │    ▲
///              join, leave    └─ end ──────────────────▶ gone: all who wait receive the answer
/// ```
///
/// The `==` and `hash(into:)` of the keys run under the caller's lock. Keys, callers and tasks are returned, to be used
/// or released after unlocking.
package struct SharedCallsMachine<Key: Hashable & Sendable, Caller: Sendable>: Sendable {
  package struct Call: Sendable {
    /// Numbers are not reused, so a later call with the same key differs.
    let number: Int
    package var callers = NumberedQueue<Caller>()
    /// `nil` until it is made.
    package var task: Task<Void, Never>?
  }

  /// What a caller needs to leave its call.
  package struct Ticket: Sendable {
    package let call: Int
    let caller: Int
    /// Whether the caller must call the SDK.
    package var isFirst: Bool { call == caller }
  }

  private var calls: [Key: Call] = [:]
  private var lastNumber = 0

  package init() {}

  /// How many callers wait.
  package var count: Int { calls.values.reduce(0) { $0 + $1.callers.count } }

  package func task(of key: Key) -> Task<Void, Never>? { calls[key]?.task }

  package mutating func join(_ key: Key, _ caller: Caller) -> Ticket {
    lastNumber += 1
    let number = lastNumber
    return { call in
      call.callers.append(caller, number)
      return Ticket(call: call.number, caller: number)
    }(&calls[key, default: Call(number: number)])
  }

  /// The task of a call exists, which may have ended already.
  package mutating func start(_ call: Int, of key: Key, _ task: Task<Void, Never>) {
    if let index = index(of: call, key) { calls.values[index].task = task }
  }

  /// A caller waits no longer. Returns the call if it was the last one: its task is to be cancelled.
  package mutating func leave(_ key: Key, _ ticket: Ticket) -> (left: Caller?, last: (Key, Call)?) {
    guard let index = index(of: ticket.call, key) else { return (nil, nil) }
    let left = calls.values[index].callers.remove(ticket.caller)
    let isLast = calls.values[index].callers.count == 0
    return (left, isLast ? calls.removeAndShrink(at: index) : nil)
  }

  /// A call has its answer: its key is free, and those who wait receive the answer.
  package mutating func end(_ call: Int, of key: Key) -> (Key, Call)? {
    index(of: call, key).map { calls.removeAndShrink(at: $0) }
  }

  private func index(of call: Int, _ key: Key) -> Dictionary<Key, Call>.Index? {
    calls.index(forKey: key).flatMap { calls.values[$0].number == call ? $0 : nil }
  }
}
