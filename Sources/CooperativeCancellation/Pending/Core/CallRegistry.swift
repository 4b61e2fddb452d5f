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
/// a step that needs it returns candidates, and is repeated when the ``Search`` knows which of them are
/// equal.
@usableFromInline
package struct CallRegistry: Sendable {
  private struct Entry: Sendable {
    enum State: Sendable {
      /// Its SDK is being called.
      case starting
      case waiting
      /// An answer without a call.
      case parked
    }

    let number: Int
    let reply: AnyReply
    var state: State
  }

  /// Where a call is or was. Numbers are not reused, so another call in the same slot differs.
  @usableFromInline
  package struct Place: Sendable, Hashable {
    let slot: Int
    let number: Int
  }

  /// What remains of a call or of a parked answer.
  package struct Remains: Sendable {
    package let reply: AnyReply
    package let id: AnyID?
  }

  private var entries = KeyedSlots<Entry>()
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

  /// What is known about the ids with one hash.
  package struct Search: Sendable {
    package let id: AnyID
    fileprivate var equal: [Place] = []
    fileprivate var unequal: Set<Place> = []

    package init(for id: AnyID) {
      self.id = id
    }

    package mutating func note(_ candidate: Candidate, isEqual: Bool) {
      if isEqual { equal.append(candidate.place) } else { unequal.insert(candidate.place) }
    }
  }

  package struct Candidate: Sendable {
    package let place: Place
    package let id: AnyID
  }

  /// A step that was taken, or ids to compare first.
  package enum Step<Result: Sendable>: Sendable {
    case done(Result)
    case compare([Candidate])
  }

  private func candidates(for search: Search, parkedToo: Bool = false) -> [Candidate] {
    var found: [Candidate] = []
    entries.forEach(withHash: search.id.hash) { slot, entry, id in
      guard entry.state == .waiting || parkedToo else { return }
      let place = Place(slot: slot, number: entry.number)
      if !search.equal.contains(place), !search.unequal.contains(place) {
        found.append(Candidate(place: place, id: id))
      }
    }
    return found
  }

  /// Returns a waiting call whose id has that hash.
  package func first(withHash hash: Int) -> Candidate? {
    var first: Candidate?
    entries.forEach(withHash: hash) { slot, entry, id in
      if first == nil, entry.state == .waiting {
        first = Candidate(place: Place(slot: slot, number: entry.number), id: id)
      }
    }
    return first
  }

  // MARK: A call's life

  package enum Added<Where: Sendable>: Sendable {
    case at(Where)
    case taken
    case closed(any Error)
  }

  /// Adds a waiting call, with or without an id.
  package mutating func add(_ reply: AnyReply, _ search: Search? = nil) -> Step<Added<Place>> {
    if let end { return .done(.closed(end)) }
    if let search {
      if firstWaiting(of: search.equal) != nil { return .done(.taken) }
      let unknown = candidates(for: search)
      if !unknown.isEmpty { return .compare(unknown) }
    }
    return .done(.at(insert(reply, .waiting, search?.id)))
  }

  /// A call that has begun, and its number among the ``Starts``.
  @usableFromInline
  package struct Started: Sendable, Hashable {
    @usableFromInline package let place: Place
    let number: Int
  }

  /// Adds a call whose id is known only after its SDK was called.
  package mutating func begin(_ reply: AnyReply) -> Added<Started> {
    if let end { return .closed(end) }
    return .at(Started(place: insert(reply, .starting, nil), number: starts.begin()))
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
  package mutating func name(_ call: Started, _ search: Search) -> Step<Name> {
    guard entry(at: call.place) != nil else { return .done(.given) }
    if firstWaiting(of: search.equal) != nil {
      return .done(remove(call.place).map { .taken($0) } ?? .given)
    }
    let unknown = candidates(for: search, parkedToo: true)
    if !unknown.isEmpty { return .compare(unknown) }
    // An answer from before the call began belongs to an earlier call with the same id.
    let answers = search.equal.filter { $0.number > call.place.number && entry(at: $0) != nil }
    if let first = answers.min(by: { $0.number < $1.number }), let answer = remove(first),
      let call = remove(call.place)
    {
      return .done(.answered(call, with: answer))
    }
    entries.update(call.place.slot) { $0.state = .waiting }
    entries.link(call.place.slot, search.id)
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
    guard entry(at: place) != nil, let removed = entries.remove(place.slot) else { return nil }
    if removed.element.state != .parked { count -= 1 }
    return Remains(reply: removed.element.reply, id: removed.id)
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
  package mutating func take(_ search: Search, parking answer: AnyReply?) -> Step<Taken> {
    if let call = firstWaiting(of: search.equal), let remains = remove(call) {
      return .done(.call(remains))
    }
    let unknown = candidates(for: search)
    if !unknown.isEmpty { return .compare(unknown) }
    guard let answer, !starts.isEmpty, end == nil else {
      return .done(.noCall(mayPark: !starts.isEmpty && end == nil))
    }
    let place = insert(answer, .parked, search.id)
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

  private mutating func takeAll(_ isWanted: (Entry.State) -> Bool) -> [Remains] {
    var all: [Place] = []
    for slot in entries.used {
      if let entry = entries[slot], isWanted(entry.state) {
        all.append(Place(slot: slot, number: entry.number))
      }
    }
    // In order of arrival.
    all.sort { $0.number < $1.number }
    return all.compactMap { remove($0) }
  }

  // MARK: Entries

  private func entry(at place: Place) -> Entry? {
    guard let entry = entries[place.slot], entry.number == place.number else { return nil }
    return entry
  }

  // Not `places.first(where:)`: a closure that uses the registry copies it.
  private func firstWaiting(of places: [Place]) -> Place? {
    for place in places where entry(at: place)?.state == .waiting { return place }
    return nil
  }

  private mutating func insert(_ reply: AnyReply, _ state: Entry.State, _ id: AnyID?) -> Place {
    lastNumber += 1
    let slot = entries.insert(Entry(number: lastNumber, reply: reply, state: state))
    if let id { entries.link(slot, id) }
    if state != .parked { count += 1 }
    return Place(slot: slot, number: lastNumber)
  }
}
