/// The lock around a ``CallRegistry``. Answers, compares and releases after unlocking.
@usableFromInline
package final class CallTable: Sendable {
  @usableFromInline package typealias Place = CallRegistry.Place
  @usableFromInline package typealias Started = CallRegistry.Started
  package typealias Step = CallRegistry.Step

  private let registry = Locked(initially: CallRegistry())

  @usableFromInline
  package init() {}

  @usableFromInline
  package var count: Int { registry.locked { $0.count } }

  // MARK: A call's life

  /// Adds a waiting call with an id.
  @usableFromInline
  package func add(_ wait: Wait, id: any AnyID, _ callSite: CallSite) throws -> Place {
    try place(of: search(id) { $0.add(wait, id, $1) }, callSite)
  }

  /// Adds a waiting call without an id.
  @usableFromInline
  package func add(_ wait: Wait, _ callSite: CallSite) throws -> Place {
    try place(of: registry.extract { $0.add(wait) }, callSite)
  }

  /// Adds a call whose id is known only after its SDK was called.
  @usableFromInline
  package func begin(_ wait: Wait, _ callSite: CallSite) throws -> Started {
    try place(of: registry.extract { $0.begin(wait) }, callSite)
  }

  private func place<Place>(
    of added: CallRegistry.Added<Place>,
    _ callSite: CallSite
  ) throws -> Place {
    switch added {
    case .at(let place): return place
    case .taken: throw AlreadyPendingError(callSite: callSite)
    case .closed(let error): throw error
    }
  }

  /// Gives a starting call its id, and its answer if that has already arrived. Returns whether another call
  /// has the id, and the answers that belong to no call.
  @usableFromInline
  package func name(_ call: Started, _ id: any AnyID) -> (isTaken: Bool, unclaimed: [Unclaimed]) {
    let (name, unclaimed) = search(id) { registry, compared in
      switch registry.name(call, id, compared) {
      case .done(let name): .done((name, registry.end(call)))
      case .compare(let candidates): .compare(candidates)
      }
    }
    if case .answered(let call, let parked) = name, let answer = parked.answer {
      // It counts: the call's own task is here and has not been interrupted.
      _ = call.wait?.hear(.answered(in: answer))
    }
    let isTaken = if case .taken = name { true } else { false }
    return (isTaken, unclaimed.compactMap(Unclaimed.init))
  }

  /// Ends the start of a call that receives no id.
  @usableFromInline
  package func fail(_ call: Started) -> [Unclaimed] {
    let (call, unclaimed) = registry.extract { ($0.remove(call.place), $0.end(call)) }
    _ = call
    return unclaimed.compactMap(Unclaimed.init)
  }

  @usableFromInline
  package func remove(_ call: Place) {
    _ = registry.extract { $0.remove(call) }
  }

  // MARK: Answers

  /// An answer that no call claimed.
  @usableFromInline
  package struct Unclaimed: Sendable {
    @usableFromInline let id: any AnyID
    @usableFromInline let answer: AnyReply

    init?(_ remains: CallRegistry.Remains) {
      guard let id = remains.id, let answer = remains.answer else { return nil }
      self.id = id
      self.answer = answer
    }
  }

  /// Takes out the first call whose id has that hash, if the id is equal. Usually it is.
  @usableFromInline
  package func take(hash: Int, isEqual: (any AnyID) -> Bool) -> Wait? {
    guard let first = registry.locked({ $0.first(withHash: hash) }) else { return nil }
    let place = first.place
    if !isEqual(first.id) { return nil }
    return registry.extract { $0.remove(place) }?.wait
  }

  /// What happened to an answer.
  @usableFromInline
  package enum Taken: Sendable {
    case call(Wait)
    case noCall(mayPark: Bool)
    case parked
  }

  /// Takes out the call with an id. Without one, parks the answer if it may belong to a starting call.
  @usableFromInline
  package func take(_ id: any AnyID, parking answer: AnyReply?) -> Taken {
    switch search(id, { $0.take(id, $1, parking: answer) }) {
    case .call(let call): call.wait.map { .call($0) } ?? .noCall(mayPark: false)
    case .noCall(let mayPark): .noCall(mayPark: mayPark)
    case .parked: .parked
    }
  }

  /// Takes out all calls in order of arrival.
  @usableFromInline
  package func takeAll() -> [Wait] {
    registry.extract { $0.takeAll() }.compactMap(\.wait)
  }

  /// Takes out all calls and parked answers, and adds nothing from now on.
  @usableFromInline
  package func close(_ error: any Error) -> (calls: [Wait], unclaimed: [Unclaimed]) {
    let (calls, unclaimed) = registry.extract { $0.close(error) }
    return (calls.compactMap(\.wait), unclaimed.compactMap(Unclaimed.init))
  }

  // MARK: Searching

  /// Repeats a step until it is known which ids are equal and no new candidate has appeared.
  @inline(__always)
  private func search<Result: Sendable>(
    _ id: any AnyID,
    _ step: (inout CallRegistry, CallRegistry.Compared) -> Step<Result>
  ) -> Result {
    var compared: CallRegistry.Compared = [:]
    while true {
      switch registry.extract({ step(&$0, compared) }) {
      case .done(let result): return result
      case .compare(let candidates):
        for candidate in candidates { compared[candidate.place] = id.equals(candidate.id) }
      }
    }
  }
}
