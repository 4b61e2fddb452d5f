public import CancellationInternals
public import CooperativeCancellation

/// The calls that wait for an answer, by id: a value type without a lock.
///
/// ```
///   add ─────────────────────────┐
///                                ▼
///   begin ─▶ starting ─ name ─▶ waiting ─ answer ──────────────────────▶ gone
///               │                │                                        ▲
///               │                └─ interruption ─ answer and forwarding ─┤
///               └─ answer to all, abandonStart ───────────────────────────┘
/// ```
///
/// An interrupted call keeps its id until its `onCancel` has returned, so that `onCancel` cannot reach another call
/// with the same id. If it waits for the SDK's answer, it keeps the id until both have happened.
///
/// While a call is starting, its id is unknown, and an answer with an unknown id may belong to it. The registry parks
/// such an answer until the call is named, or until all calls that were starting at that time have begun. Starting is
/// synchronous, so there are at most as many as threads, and arrays are enough.
///
/// The `==` and `hash(into:)` of the ids run under the caller's lock. Results are woken or released after unlocking.
@usableFromInline package struct PendingCallsMachine<ID: Hashable & Sendable>: Sendable {
  @usableFromInline package struct Entry: Sendable {
    @usableFromInline package let wait: Wait
    /// Numbers are not reused, so another call with the same id differs.
    @usableFromInline let number: Int
    @usableFromInline var isAnswered = false
    @usableFromInline var isForwarded = false

    @_alwaysEmitIntoClient
    init(_ wait: Wait, _ number: Int) {
      self.wait = wait
      self.number = number
    }
  }

  /// An answer without a call, and the number of the last call that had begun.
  @usableFromInline package typealias Parked = (id: ID, answer: AnyReply, lastNumber: Int)

  @usableFromInline package var waiting: [ID: Entry] = [:]
  /// If calls with one id share it, they are here instead.
  @usableFromInline package var lines: [ID: TurnMachine] = [:]
  @usableFromInline var countInLines = 0
  /// In the order in which they began.
  @usableFromInline package var starting: [Entry] = []
  /// In order of arrival.
  @usableFromInline package var parked: [Parked] = []
  @usableFromInline var lastNumber = 0
  @usableFromInline var end: (any Error)?

  @_alwaysEmitIntoClient
  package init() {}

  /// How many calls are unanswered, or have not forwarded their interruption.
  package var count: Int { waiting.count + starting.count { !$0.isAnswered } + countInLines }

  // MARK: A call's life

  @_alwaysEmitIntoClient
  package mutating func add(_ wait: Wait, _ id: ID, _ callSite: CallSite) throws -> Int {
    if let end { throw end }
    lastNumber += 1
    if insert(Entry(wait, lastNumber), id) { return lastNumber }
    throw AlreadyPendingError(callSite: callSite)
  }

  /// Returns whether no other call has the id.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func insert(_ entry: Entry, _ id: ID) -> Bool {
    // One search in most cases.
    guard let other = waiting.updateValue(entry, forKey: id) else { return true }
    waiting[id] = other
    return false
  }

  /// Adds a call whose id is known only after its SDK was called. Returns its number.
  @_alwaysEmitIntoClient
  package mutating func begin(_ wait: Wait) throws -> Int {
    if let end { throw end }
    lastNumber += 1
    starting.append(Entry(wait, lastNumber))
    return lastNumber
  }

  @usableFromInline package enum Name: Sendable {
    /// The call waits, or was answered together with all others.
    case given
    /// Another call has the id.
    case taken
    /// The answer had already arrived.
    case answered(Parked)
  }

  /// Gives a starting call its id. Also returns the answers that no call can claim anymore.
  @_alwaysEmitIntoClient
  package mutating func name(_ number: Int, _ id: ID) -> (name: Name, unclaimed: [Parked]) {
    var name = Name.given
    if let call = leaveStart(number), !call.isAnswered {
      // An answer from before the call began belongs to an earlier call with the same id.
      let isOwn = { (one: Parked) in number <= one.lastNumber && one.id == id }
      if let index = parked.firstIndex(where: isOwn), waiting.index(forKey: id) == nil {
        name = .answered(parked.remove(at: index))
      } else if !insert(call, id) {
        name = .taken
      }
    }
    return (name, unclaimed())
  }

  /// Ends the start of a call that receives no id.
  @_alwaysEmitIntoClient
  package mutating func abandonStart(_ number: Int) -> (call: Entry?, unclaimed: [Parked]) {
    (leaveStart(number), unclaimed())
  }

  @_alwaysEmitIntoClient
  mutating func leaveStart(_ number: Int) -> Entry? {
    starting.firstIndex { $0.number == number }.map { starting.remove(at: $0) }
  }

  /// Takes out the answers that came before each starting call had begun.
  @_alwaysEmitIntoClient
  mutating func unclaimed() -> [Parked] {
    if parked.isEmpty { return [] }
    let oldest = starting.first?.number ?? .max
    let count = parked.firstIndex { $0.lastNumber >= oldest } ?? parked.count
    defer { parked.removeFirst(count) }
    return Array(parked.prefix(count))
  }

  /// The `onCancel` of an interrupted call has returned, or its `operation` threw. Returns it, if it is over.
  @_alwaysEmitIntoClient
  package mutating func leave(_ id: ID, _ number: Int, isOver: Bool) -> (key: ID, value: Entry)? {
    guard let index = index(of: id, number) else { return nil }
    if isOver || waiting.values[index].isAnswered { return waiting.removeAndShrink(at: index) }
    waiting.values[index].isForwarded = true
    return nil
  }

  @_alwaysEmitIntoClient
  func index(of id: ID, _ number: Int) -> [ID: Entry].Index? {
    guard let index = waiting.index(forKey: id), waiting.values[index].number == number else {
      return nil
    }
    return index
  }

  // MARK: Answers

  @usableFromInline package enum Recipient: Sendable {
    /// A call took the answer and is to be woken. With the id to release, unless the call still has it.
    case call(Wait, ID?)
    case parked
    case noCall
  }

  /// Passes an answer to its call. Parks it if it may belong to a starting call.
  @_alwaysEmitIntoClient
  @inline(__always)
  package mutating func take(_ id: ID, _ answer: AnyReply) -> Recipient {
    if let index = waiting.index(forKey: id),
      let recipient = pass(.answered(in: answer), to: index)
    {
      return recipient
    }
    if starting.isEmpty || end != nil { return .noCall }
    parked.append((id, answer, lastNumber))
    return .parked
  }

  /// The `operation` of one call, which is asynchronous, threw.
  @_alwaysEmitIntoClient
  package mutating func fail(
    _ id: ID,
    _ number: Int,
    _ event: WaitMachine.FinalEvent
  ) -> Recipient {
    guard let index = index(of: id, number) else { return .noCall }
    return pass(event, to: index) ?? .noCall
  }

  /// Passes the final event to a call, which leaves if it has nothing to forward. Returns `nil` if the call refuses it.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func pass(_ event: WaitMachine.FinalEvent, to index: [ID: Entry].Index) -> Recipient? {
    if waiting.values[index].isAnswered { return nil }
    let wait = waiting.values[index].wait
    let (counts, isInterrupted) = wait.accept(event)
    if !counts { return nil }
    if isInterrupted, !waiting.values[index].isForwarded {
      waiting.values[index].isAnswered = true
      return .call(wait, nil)
    }
    return .call(wait, waiting.removeAndShrink(at: index).key)
  }

  /// Passes an answer to all calls, also to those that are starting. With `end`, accepts no more. Returns those that
  /// took it, in the order in which they began, what is to be released, and the answers that no call can claim anymore.
  @_alwaysEmitIntoClient
  package mutating func takeAll(
    _ answer: AnyReply,
    closingWith end: (any Error)? = nil
  ) -> (calls: [Wait], all: [ID: Entry], unclaimed: [Parked]) {
    var calls: [Entry] = []
    calls.reserveCapacity(waiting.count + starting.count)
    let all = waiting
    waiting = [:]
    for (id, entry) in all {
      let (counts, isInterrupted) =
        entry.isAnswered ? (false, true) : entry.wait.accept(.answered(in: answer))
      if counts { calls.append(entry) }
      if counts, !isInterrupted || entry.isForwarded { continue }
      waiting[id] = entry
      if counts { waiting[id]?.isAnswered = true }
    }
    for index in starting.indices where !starting[index].isAnswered {
      // It counts: a call that is starting does not sleep, and is not interrupted.
      _ = starting[index].wait.accept(.answered(in: answer))
      starting[index].isAnswered = true
      calls.append(starting[index])
    }
    calls.sort { $0.number < $1.number }
    var unclaimed: [Parked] = []
    if end != nil { swap(&unclaimed, &parked) }
    if self.end == nil { self.end = end }
    return (calls.map(\.wait), all, unclaimed)
  }
}
