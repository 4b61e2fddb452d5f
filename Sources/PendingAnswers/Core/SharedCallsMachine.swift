package import CancellationInternals

/// The calls of ``SharedCalls``, by key: a value type without a lock.
///
/// ```
///   join, the first ──▶ running ── leave, the last ──▶ gone: its task is cancelled
///                        │    ▲
///              join, leave    └─ end ──────────────────▶ gone: all who wait receive the answer
/// ```
///
/// The `==` and `hash(into:)` of the keys run under the caller's lock. Results are used or released after unlocking.
package struct SharedCallsMachine<Key: Hashable & Sendable, Caller: Sendable>: Sendable {
  package struct Call: Sendable {
    let key: Key
    package var callers = NumberedQueue<Caller>()
    /// `nil` until it is made.
    package var task: Task<Void, Never>?
    /// The highest that a caller has; `nil` until the first one has told its own.
    var priority: TaskPriority?
  }

  /// What a caller needs to leave its call.
  package struct Ticket: Sendable {
    package let call: Int
    let caller: Int
    /// Whether the caller must call the SDK.
    package var isFirst: Bool { call == caller }
  }

  /// What is gone, to be used and released: the call, and the key that others would have found it by.
  package typealias Removed = (call: Call, key: Key?)

  /// By number. Numbers are not reused, so a later call with the same key differs.
  private var calls: [Int: Call] = [:]
  private var numbers: [Key: Int] = [:]
  private var lastNumber = 0

  package init() {}

  /// How many callers wait.
  package var count: Int { calls.values.reduce(0) { $0 + $1.callers.count } }

  package mutating func join(_ key: Key, _ caller: Caller) -> Ticket {
    lastNumber += 1
    let number = numbers[key] ?? lastNumber
    if number == lastNumber {
      calls[number] = Call(key: key)
      // A key that does not equal itself, such as one with a `nan`, is never found: its call has one caller.
      if key == key { numbers[key] = number }
    }
    calls[number]?.callers.append(caller, lastNumber)
    return Ticket(call: number, caller: lastNumber)
  }

  /// The task of a call exists, which may have ended already. Returns the priority to which a
  /// caller has raised it.
  package mutating func start(_ call: Int, _ task: Task<Void, Never>) -> TaskPriority? {
    calls[call]?.task = task
    return calls[call]?.priority
  }

  /// A caller has a priority. Returns the task of its call, to be raised, if it exists.
  package mutating func raise(_ call: Int, to priority: TaskPriority) -> Task<Void, Never>? {
    guard let index = calls.index(forKey: call) else { return nil }
    calls.values[index].priority = max(calls.values[index].priority ?? priority, priority)
    return calls.values[index].task
  }

  /// A caller waits no longer. Returns the call if it was the last one: its task is to be cancelled.
  package mutating func leave(_ ticket: Ticket) -> (left: Caller?, last: Removed?) {
    let left = calls[ticket.call]?.callers.remove(ticket.caller)
    return (left, calls[ticket.call]?.callers.count == 0 ? end(ticket.call) : nil)
  }

  /// A call has its answer: its key is free, and those who wait receive the answer.
  package mutating func end(_ call: Int) -> Removed? {
    guard let index = calls.index(forKey: call) else { return nil }
    let call = calls.removeAndShrink(at: index).value
    return (call, numbers.index(forKey: call.key).map { numbers.removeAndShrink(at: $0).key })
  }
}
