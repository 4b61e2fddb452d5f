/// The calls that wait for an answer: a value type without a lock.
///
/// ```
///   begin ──▶ starting ── name ──▶ waiting ── take, remove, takeAll ──▶ gone
///                │                   ▲
///                │ takeAll, fail     │ add
///                ▼
///               gone
/// ```
///
/// While a call is starting, its id is unknown, and an answer with an unknown id may belong to it. The
/// registry parks such an answer until the call is named, or until all calls that were starting at that time
/// have begun.
///
/// The caller answers and releases what this returns after unlocking. Ids are compared without the lock, too:
/// a step that needs it returns candidates, and is repeated with what is known about them.
@usableFromInline
package struct CallRegistry: Sendable {
  private enum State: Sendable {
    /// Its SDK is being called.
    case starting
    case waiting
    /// An answer without a call.
    case parked
  }

  private struct Entry: Sendable {
    let number: Int
    let state: State
  }

  /// Where a call is or was. Numbers are not reused, so another call in the same slot differs.
  @usableFromInline
  package struct Place: Sendable, Hashable {
    let slot: Int
    let number: Int
  }

  /// A call that waits, or an answer without a call.
  enum Held: Sendable {
    case call(Wait)
    case answer(AnyReply)
  }

  /// What remains of a call or of a parked answer.
  package struct Remains: Sendable {
    let held: Held
    let id: (any AnyID)?

    /// That of a call.
    package var wait: Wait? { if case .call(let wait) = held { wait } else { nil } }
    /// A parked answer.
    package var answer: AnyReply? { if case .answer(let answer) = held { answer } else { nil } }
  }

  private var entries = KeyedSlots<Entry, Held>()
  private var lastNumber = 0
  private var starts = Starts()
  /// The parked answers, each with the number of the first start that it cannot belong to.
  private var parked = ElementBuffer<Parked>()
  private var end: (any Error)?

  private struct Parked: Sendable {
    let place: Place
    let nextStart: Int
  }

  /// How many calls are unanswered.
  package private(set) var count = 0

  package init() {}

  // MARK: Searching

  /// Whether the ids of calls are equal to the wanted one.
  package typealias Compared = [Place: Bool]

  package struct Candidate: Sendable {
    package let place: Place
    package let id: any AnyID
  }

  /// A step that was taken, or ids to compare first.
  package enum Step<Result: Sendable>: Sendable {
    case done(Result)
    case compare([Candidate])
  }

  private func candidates(
    for id: any AnyID,
    _ compared: Compared,
    parkedToo: Bool = false
  ) -> [Candidate] {
    var found: [Candidate] = []
    let hash = id.hash
    var slot = entries.first(withHash: hash)
    while let current = slot {
      if let candidate = candidate(in: current, parkedToo: parkedToo),
        compared[candidate.place] == nil
      {
        found.append(candidate)
      }
      slot = entries.next(withHash: hash, after: current)
    }
    return found
  }

  /// Returns a waiting call whose id has that hash.
  package func first(withHash hash: Int) -> Candidate? {
    var slot = entries.first(withHash: hash)
    while let current = slot {
      if let candidate = candidate(in: current) { return candidate }
      slot = entries.next(withHash: hash, after: current)
    }
    return nil
  }

  private func candidate(in slot: Int, parkedToo: Bool = false) -> Candidate? {
    guard let entry = entries.state(of: slot), entry.state == .waiting || parkedToo,
      let id = entries.id(of: slot)
    else { return nil }
    return Candidate(place: Place(slot: slot, number: entry.number), id: id)
  }

  // MARK: A call's life

  package enum Added<Where: Sendable>: Sendable {
    case at(Where)
    case taken
    case closed(any Error)
  }

  /// Adds a waiting call without an id.
  package mutating func add(_ wait: Wait) -> Added<Place> {
    if let end { return .closed(end) }
    return .at(insert(.call(wait), .waiting, nil))
  }

  /// Adds a waiting call with an id.
  package mutating func add(
    _ wait: Wait,
    _ id: any AnyID,
    _ compared: Compared
  ) -> Step<Added<Place>> {
    if let end { return .done(.closed(end)) }
    if firstWaiting(of: compared) != nil { return .done(.taken) }
    let unknown = candidates(for: id, compared)
    if !unknown.isEmpty { return .compare(unknown) }
    return .done(.at(insert(.call(wait), .waiting, id)))
  }

  /// A call that has begun, and its number among the ``Starts``.
  @usableFromInline
  package struct Started: Sendable, Hashable {
    @usableFromInline package let place: Place
    let number: Int
  }

  /// Adds a call whose id is known only after its SDK was called.
  package mutating func begin(_ wait: Wait) -> Added<Started> {
    if let end { return .closed(end) }
    return .at(Started(place: insert(.call(wait), .starting, nil), number: starts.begin()))
  }

  package enum Name: Sendable {
    /// The call waits, or was already ended together with all others.
    case given
    /// Another call has the id.
    case taken(Remains)
    /// The answer had already arrived.
    case answered(Remains, with: Remains)
  }

  /// Gives a starting call its id.
  package mutating func name(_ call: Started, _ id: any AnyID, _ compared: Compared) -> Step<Name> {
    guard state(at: call.place) != nil else { return .done(.given) }
    if firstWaiting(of: compared) != nil {
      return .done(remove(call.place).map { .taken($0) } ?? .given)
    }
    let unknown = candidates(for: id, compared, parkedToo: true)
    if !unknown.isEmpty { return .compare(unknown) }
    // An answer from before the call began belongs to an earlier call with the same id.
    let answers = compared.filter { place, isEqual in
      isEqual && place.number > call.place.number && state(at: place) != nil
    }
    if let first = answers.keys.min(by: { $0.number < $1.number }), let answer = remove(first),
      let call = remove(call.place)
    {
      return .done(.answered(call, with: answer))
    }
    entries.update(call.place.slot, Entry(number: call.place.number, state: .waiting))
    entries.link(call.place.slot, id)
    return .done(.given)
  }

  /// Ends the start of a call, with or without an id. Returns the answers that no call can claim any more.
  package mutating func end(_ call: Started) -> [Remains] {
    starts.end(call.number)
    var unclaimed: [Remains] = []
    while let first = parked.first, first.nextStart <= starts.oldest {
      _ = parked.popFirst()
      if let remains = remove(first.place) { unclaimed.append(remains) }
    }
    return unclaimed
  }

  /// Takes a call out, if it is still there.
  package mutating func remove(_ place: Place) -> Remains? {
    guard let state = state(at: place), let removed = entries.remove(place.slot) else { return nil }
    if state != .parked { count -= 1 }
    return Remains(held: removed.element, id: removed.id)
  }

  // MARK: Answers

  package enum Taken: Sendable {
    case call(Remains)
    /// No call has the id. If the answer may be parked, ask again with the answer.
    case noCall(mayPark: Bool)
    case parked
  }

  /// Takes out the call that an answer is for.
  ///
  /// - Parameter answer: What to park if there is no such call.
  package mutating func take(
    _ id: any AnyID,
    _ compared: Compared,
    parking answer: AnyReply?
  ) -> Step<Taken> {
    if let call = firstWaiting(of: compared), let remains = remove(call) {
      return .done(.call(remains))
    }
    let unknown = candidates(for: id, compared)
    if !unknown.isEmpty { return .compare(unknown) }
    guard let answer, !starts.isEmpty, end == nil else {
      return .done(.noCall(mayPark: !starts.isEmpty && end == nil))
    }
    let place = insert(.answer(answer), .parked, id)
    parked.append(Parked(place: place, nextStart: starts.next), capacity: .max)
    return .done(.parked)
  }

  /// Takes out all calls, including those that are starting.
  package mutating func takeAll() -> [Remains] {
    takeAll { $0 != .parked }
  }

  /// Takes out all calls and parked answers, and adds nothing from now on.
  package mutating func close(_ error: any Error) -> (calls: [Remains], unclaimed: [Remains]) {
    if end == nil { end = error }
    return (takeAll(), takeAll { _ in true })
  }

  private mutating func takeAll(_ isWanted: (State) -> Bool) -> [Remains] {
    var all: [Place] = []
    for slot in entries.used {
      if let entry = entries.state(of: slot), isWanted(entry.state) {
        all.append(Place(slot: slot, number: entry.number))
      }
    }
    // In order of arrival.
    all.sort { $0.number < $1.number }
    return all.compactMap { remove($0) }
  }

  // MARK: Entries

  private func state(at place: Place) -> State? {
    let entry = entries.state(of: place.slot)
    return entry?.number == place.number ? entry?.state : nil
  }

  // Not `compared.first(where:)`: a closure that uses the registry copies it.
  private func firstWaiting(of compared: Compared) -> Place? {
    for (place, isEqual) in compared where isEqual && state(at: place) == .waiting {
      return place
    }
    return nil
  }

  private mutating func insert(_ held: Held, _ state: State, _ id: (any AnyID)?) -> Place {
    lastNumber += 1
    let slot = entries.insert(held, Entry(number: lastNumber, state: state), id: id)
    if state != .parked { count += 1 }
    return Place(slot: slot, number: lastNumber)
  }
}
