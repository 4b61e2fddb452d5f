/// Where a task begins whose actor is not the one that makes it: in one queue, from which each goes
/// on to its actor.
///
/// Only code on an actor, or a closure whose actor the compiler knows, can make a task that begins
/// on that actor. Others begin on the pool, and of two that go from there to the same actor, the
/// later one may be first. Those that come from an actor keep their order: it lets the next one go
/// when this one is in the queue of the actor to which it goes.
@globalActor actor Departures {
  static let shared = Departures()
}

/// How a task gets to the actor of its closure.
@usableFromInline package enum BagRoute: Sendable {
  /// It has none, or it is the main actor, which the compiler knows.
  case direct
  /// It is made there. It goes there directly, unless an earlier one is on its way.
  case onActor
  case fromElsewhere

  @usableFromInline init(to actor: (any Actor)?, from caller: (any Actor)?) {
    if actor == nil || actor === MainActor.shared {
      self = .direct
    } else {
      self = actor === caller ? .onActor : .fromElsewhere
    }
  }
}
