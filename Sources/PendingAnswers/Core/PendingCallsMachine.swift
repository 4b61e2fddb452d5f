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
/// A call with a value may still be cancelled before its task has read it, and then forwards that, too. Until then, it has
/// its id, but gives it up to another call that begins: it can then forward nothing anymore, so it returns its value.
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
    @usableFromInline var state = State.waiting

    @usableFromInline package enum State: Sendable {
      /// Without an answer.
      case waiting
      /// Without an answer, and its `onCancel` has returned.
      case forwarded
      /// It has a value, which its task has not read.
      case answered
      /// It has an answer that it does not return, and its `onCancel` has not returned.
      case forwarding

      @_alwaysEmitIntoClient
      package var hasAnswer: Bool {
        switch self {
        case .waiting, .forwarded: false
        case .answered, .forwarding: true
        }
      }
    }

    @_alwaysEmitIntoClient
    init(_ wait: Wait, _ number: Int) {
      self.wait = wait
      self.number = number
    }
  }

  /// An answer without a call, whether it is a value, and the number of the last call that had begun.
  @usableFromInline
  package typealias Parked = (id: ID, answer: AnyReply, isValue: Bool, lastNumber: Int)

  @usableFromInline package var waiting: [ID: Entry] = [:]
  /// If calls with one id share it, they are here instead.
  @usableFromInline package var lines: [ID: TurnMachine] = [:]
  @usableFromInline var countInLines = 0
  /// In the order in which they began.
  @usableFromInline package var starting: [Entry] = []
  /// In order of arrival.
  @usableFromInline package var parked: [Parked] = []
  /// How many of those that wait have a value that their tasks have not read.
  @usableFromInline var unreadCount = 0
  @usableFromInline var lastNumber = 0
  @usableFromInline var end: (any Error)?

  @_alwaysEmitIntoClient
  package init() {}

  /// How many calls are unanswered, or have not forwarded their interruption.
  package var count: Int {
    waiting.count - unreadCount + starting.count { !$0.state.hasAnswer } + countInLines
  }

  /// Whether there is no call at all.
  package var isEmpty: Bool { waiting.isEmpty && starting.isEmpty && lines.isEmpty }

  // MARK: A call's life

  @_alwaysEmitIntoClient
  package mutating func add(_ wait: Wait, _ id: ID, _ callSite: CallSite) throws -> Int {
    if let end { throw end }
    lastNumber += 1
    if insert(Entry(wait, lastNumber), id) { return lastNumber }
    throw AlreadyPendingError(callSite: callSite)
  }

  /// Returns whether no other call has the id, but for one that gives it up.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func insert(_ entry: Entry, _ id: ID) -> Bool {
    // One search in most cases.
    guard let other = waiting.updateValue(entry, forKey: id) else { return true }
    if case .answered = other.state {
      unreadCount -= 1
      return true
    }
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
    /// The answer had already arrived, and the call has taken it. With what is to be released.
    case answered(Parked, Recipient)
    /// Another call has the id.
    case taken
  }

  /// Gives a starting call its id. Also returns the answers that no call can claim anymore.
  @_alwaysEmitIntoClient
  package mutating func name(_ number: Int, _ id: ID) -> (name: Name, unclaimed: [Parked]) {
    var name = Name.given
    if let call = leaveStart(number), !call.state.hasAnswer {
      if !insert(call, id) {
        name = .taken
      } else if let own = takeParked(number, id) {
        // It counts: the call's own task is here and has not been interrupted.
        name = .answered(own, take(id, own.answer, isValue: own.isValue))
      }
    }
    return (name, unclaimed())
  }

  /// Takes out the answer that arrived for a starting call, whose id is now known.
  @_alwaysEmitIntoClient
  package mutating func takeParked(_ number: Int, _ id: ID) -> Parked? {
    // An answer from before the call began belongs to an earlier call with the same id.
    let isOwn = { (one: Parked) in number <= one.lastNumber && one.id == id }
    return parked.firstIndex(where: isOwn).map { parked.remove(at: $0) }
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

  /// The `onCancel` of a call has returned, its `operation` threw, or its task has read its value. Returns it, if it is
  /// over.
  @_alwaysEmitIntoClient
  package mutating func leave(_ id: ID, _ number: Int, isOver: Bool) -> (key: ID, value: Entry)? {
    guard let index = index(of: id, number) else { return nil }
    let state = waiting.values[index].state
    if case .answered = state { unreadCount -= 1 }
    if isOver || state.hasAnswer { return waiting.removeAndShrink(at: index) }
    waiting.values[index].state = .forwarded
    return nil
  }

  /// The task of a call with a value is cancelled. Returns whether the call still has its id, and keeps it until it leaves.
  @_alwaysEmitIntoClient
  package mutating func hold(_ id: ID, _ number: Int) -> Bool {
    guard let index = index(of: id, number) else { return false }
    unreadCount -= 1
    waiting.values[index].state = .forwarding
    return true
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
  package mutating func take(_ id: ID, _ answer: AnyReply, isValue: Bool) -> Recipient {
    if let index = waiting.index(forKey: id),
      let recipient = pass(.answered(in: answer), isValue: isValue, to: index)
    {
      return recipient
    }
    if starting.isEmpty || end != nil { return .noCall }
    parked.append((id, answer, isValue, lastNumber))
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
    return pass(event, isValue: false, to: index) ?? .noCall
  }

  /// Passes the final event to a call, which leaves if it has nothing to forward. Returns `nil` if the call refuses it.
  @_alwaysEmitIntoClient
  @inline(__always)
  mutating func pass(
    _ event: WaitMachine.FinalEvent,
    isValue: Bool,
    to index: [ID: Entry].Index
  ) -> Recipient? {
    if waiting.values[index].state.hasAnswer { return nil }
    let wait = waiting.values[index].wait
    let (counts, isInterrupted, mayWithhold) = wait.accept(event)
    if !counts { return nil }
    let entry = waiting.values[index]
    if let next = entry.state(afterAnswer: isInterrupted, mayWithhold: isValue && mayWithhold) {
      waiting.values[index].state = next
      if case .answered = next { unreadCount += 1 }
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
    for (id, var entry) in all {
      if !entry.state.hasAnswer {
        let (counts, isInterrupted, _) = entry.wait.accept(.answered(in: answer))
        if counts {
          calls.append(entry)
          // It is an error, or the value of an event, for which there is nothing to forward.
          guard let next = entry.state(afterAnswer: isInterrupted, mayWithhold: false) else {
            continue
          }
          entry.state = next
        }
      }
      waiting[id] = entry
    }
    for index in starting.indices where !starting[index].state.hasAnswer {
      // It counts: a call that is starting does not sleep, and is not interrupted.
      _ = starting[index].wait.accept(.answered(in: answer))
      starting[index].state = .answered
      calls.append(starting[index])
    }
    calls.sort { $0.number < $1.number }
    var unclaimed: [Parked] = []
    if end != nil { swap(&unclaimed, &parked) }
    if self.end == nil { self.end = end }
    return (calls.map(\.wait), all, unclaimed)
  }
}

extension PendingCallsMachine.Entry {
  /// How the call keeps its id after an answer that counts; `nil` if it leaves.
  @_alwaysEmitIntoClient
  @inline(__always)
  func state(afterAnswer isInterrupted: Bool, mayWithhold: Bool) -> State? {
    // Its `onCancel` has returned.
    if case .forwarded = state { return nil }
    if isInterrupted { return .forwarding }
    return mayWithhold ? .answered : nil
  }
}
