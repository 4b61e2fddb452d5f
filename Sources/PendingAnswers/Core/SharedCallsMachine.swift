public import CancellationInternals

/// The calls of ``SharedCalls``, by key: a value type without a lock.
///
/// ```
///   join, the first ──▶ running ── leave, the last ──▶ gone: its task is cancelled
///                        │    ▲ └─ end(of:), close ───▶ gone: the same; callers get the error
///              join, leave    └─ end ─────────────────▶ gone: callers get the answer
///
///   begin ─▶ running, or what runs is kept: the last one to leave does not end it
/// ```
///
/// The `==` and `hash(into:)` of the keys run under the caller's lock. Results are used or released
/// after unlocking.
@usableFromInline
package struct SharedCallsMachine<Key: Hashable & Sendable, Caller: Sendable>: Sendable {
  @usableFromInline package struct Call: Sendable {
    @usableFromInline let key: Key
    @usableFromInline package var callers = NumberedQueue<Caller>()
    /// `nil` until it is made.
    @usableFromInline package var task: Task<Void, Never>?
    /// The highest that a caller has told; the task is made with that of the first one.
    @usableFromInline var priority = TaskPriority.background
    /// Whether it goes on when the last caller leaves.
    @usableFromInline var isKept = false

    @_alwaysEmitIntoClient
    init(key: Key) { self.key = key }

    /// Returns the task, if it exists and this makes it more urgent.
    @_alwaysEmitIntoClient
    mutating func raise(to new: TaskPriority) -> Task<Void, Never>? {
      guard new > priority else { return nil }
      priority = new
      return task
    }
  }

  /// What a caller needs to leave its call.
  @usableFromInline package struct Ticket: Sendable {
    @usableFromInline package let call: Int
    @usableFromInline let caller: Int
    /// The task of the call, if the caller is more urgent than those before it.
    @usableFromInline var raised: Task<Void, Never>?

    @_alwaysEmitIntoClient
    init(call: Int, caller: Int) {
      self.call = call
      self.caller = caller
    }

    /// Whether the caller must call the SDK.
    @_alwaysEmitIntoClient
    package var isFirst: Bool { call == caller }
  }

  /// What is gone, to be used and released: the call, and the key that others would have found it
  /// by.
  @usableFromInline package typealias Removed = (call: Call, key: Key?)

  /// By number. Numbers are not reused, so a later call with the same key differs.
  @usableFromInline var calls: [Int: Call] = [:]
  @usableFromInline var numbers: [Key: Int] = [:]
  @usableFromInline var lastNumber = 0
  /// What later calls throw.
  @usableFromInline var closingError: (any Error)?

  @_alwaysEmitIntoClient
  package init() {}

  /// How many callers wait.
  @_alwaysEmitIntoClient
  package var count: Int { calls.values.reduce(0) { $0 + $1.callers.count } }

  /// A caller joins the call with a key, or makes it. Returns its ticket, which says whether it is
  /// the first, who must make the task.
  @_alwaysEmitIntoClient
  package mutating func join(
    _ key: Key,
    _ caller: Caller,
    _ priority: TaskPriority
  ) throws -> Ticket {
    if let closingError { throw closingError }
    var ticket = Ticket(call: findOrMake(key), caller: lastNumber)
    update(ticket.call) { call in
      call.callers.append(caller, ticket.caller)
      ticket.raised = call.raise(to: priority)
    }
    return ticket
  }

  /// Keeps the call with a key until its end. Returns the call, if it is a new one: its task must
  /// be made.
  @_alwaysEmitIntoClient
  package mutating func begin(_ key: Key) -> Int? {
    if closingError != nil { return nil }
    let call = findOrMake(key)
    update(call) { $0.isKept = true }
    return call == lastNumber ? call : nil
  }

  /// Returns the call with a key. A new one has the last number.
  @_alwaysEmitIntoClient
  mutating func findOrMake(_ key: Key) -> Int {
    lastNumber += 1
    if let call = numbers[key] { return call }
    calls[lastNumber] = Call(key: key)
    // A key that does not equal itself, such as one with a `nan`, is never found, so its call has
    // one caller.
    if key == key { numbers[key] = lastNumber }
    return lastNumber
  }

  /// The task of a call exists. Returns the priority that it must have, or `nil` if the call is gone
  /// because it was ended from outside: then its task is to be cancelled.
  @_alwaysEmitIntoClient
  package mutating func start(_ call: Int, _ task: Task<Void, Never>) -> TaskPriority? {
    update(call) { call in
      call.task = task
      return call.priority
    }
  }

  /// A caller has been raised. Returns the task of its call, if that is to be raised, too, and
  /// exists.
  @_alwaysEmitIntoClient
  package mutating func raise(_ call: Int, to priority: TaskPriority) -> Task<Void, Never>? {
    update(call) { $0.raise(to: priority) } ?? nil
  }

  /// Changes a call in place, if it still exists.
  ///
  /// Not through an optional subscript: Swift 6.3.1 allocates a frame for its accessor each time,
  /// and to read an element is to copy it.
  @_alwaysEmitIntoClient
  @inline(__always)
  @discardableResult
  mutating func update<Result>(_ call: Int, _ change: (inout Call) -> Result) -> Result? {
    guard let index = calls.index(forKey: call) else { return nil }
    return change(&calls.values[index])
  }

  /// A caller waits no longer. Returns the call if it was the last one: its task is to be
  /// cancelled.
  @_alwaysEmitIntoClient
  package mutating func leave(_ ticket: Ticket) -> (left: Caller?, last: Removed?) {
    var left: Caller?
    let isOver = update(ticket.call) { call in
      left = call.callers.remove(ticket.caller)
      return call.callers.count == 0 && !call.isKept
    }
    return (left, isOver == true ? end(ticket.call) : nil)
  }

  /// Ends the call with a key from outside: all who wait receive an error, and its task is to be
  /// cancelled.
  @_alwaysEmitIntoClient
  package mutating func end(of key: Key) -> Removed? { numbers[key].flatMap { end($0) } }

  /// Ends all calls from outside, and refuses later ones. Only the first error counts. Returns the
  /// calls in order.
  @_alwaysEmitIntoClient
  package mutating func close(throwing error: any Error) -> (calls: [Call], keys: [Key: Int]) {
    closingError = closingError ?? error
    defer {
      calls = [:]
      numbers = [:]
    }
    return (calls.sorted { $0.key < $1.key }.map(\.value), numbers)
  }

  /// A call has its answer: its key is free, and those who wait receive the answer.
  @_alwaysEmitIntoClient
  package mutating func end(_ call: Int) -> Removed? {
    guard let index = calls.index(forKey: call) else { return nil }
    let call = calls.removeAndShrink(at: index).value
    return (call, numbers.index(forKey: call.key).map { numbers.removeAndShrink(at: $0).key })
  }
}
