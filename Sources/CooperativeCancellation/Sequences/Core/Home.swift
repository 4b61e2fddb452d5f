/// The closures of a sequence that crosses isolation, kept on the actor on which it was made.
///
/// An actor of its own only for the compiler's sake: it shares the executor of the home, and so whoever is on
/// the one is on the other, and to go from one to the other does not suspend. That makes a `Sendable` reference
/// of closures that are not `Sendable`, without a promise that nobody checks.
actor Home<Element: Sendable> {
  private let home: any Actor
  private let start: @isolated(any) (Shared<Inbox<Element>>) async throws -> Errand

  nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }

  init(
    _ home: any Actor,
    @_inheritActorContext _ start:
      sending @escaping @isolated(any) (
        Shared<Inbox<Element>>
      ) async throws -> Errand
  ) {
    self.home = home
    self.start = start
  }

  func begin(_ inbox: Shared<Inbox<Element>>) async throws -> Errand {
    try await start(inbox)
  }
}

extension Source {
  /// The same source, for any reader: registers and unregisters on `isolation`, or where it was made.
  @usableFromInline
  func crossingIsolation(
    isolation: isolated any Actor
  ) -> @Sendable () -> Source {
    let home: Home<Element>
    switch start {
    case .inPlace(let start):
      // Made by code without an actor, and this actor's since: from now on it stays here.
      home = Home(isolation) { inbox in
        _ = isolation
        let termination = try start(inbox)
        return Errand {
          _ = isolation
          termination.runFromDeinit()
        }
      }
    case .onHome(let start):
      home = Home(isolation) { inbox in
        _ = isolation
        return try await start(inbox)
      }
    }
    let policy = policy
    let discard = discard
    let begin = belongingToActor { (inbox: Shared<Inbox<Element>>) in
      // So that a reader which is on the actor does not leave it.
      _ = isolation
      return try await home.begin(inbox)
    }
    return { Source(policy, discard, .onHome(begin)) }
  }
}

/// Returns the closure, as one that belongs to the actor whose isolated parameter it captures. A `@Sendable` closure
/// does that only as an argument for such a parameter.
private func belongingToActor<Input, Output>(
  @_inheritActorContext _ body: @escaping @Sendable @isolated(any) (Input) async throws -> Output
) -> @Sendable @isolated(any) (Input) async throws -> Output {
  body
}
