/// Keeps the closures of a sequence that crosses isolation, on the actor on which it was made.
///
/// A separate actor only for the type checker. It shares the executor of the home, so a hop between the two
/// does not suspend. This gives a `Sendable` reference to closures that are not `Sendable`, and the compiler
/// checks it.
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
  /// Returns the same source for readers on any actor. It registers and unregisters on `isolation`, or on its
  /// home.
  @usableFromInline
  func crossingIsolation(
    isolation: isolated any Actor
  ) -> @Sendable () -> Source {
    let home: Home<Element>
    switch start {
    case .inPlace(let start):
      // Made without an actor, and owned by this actor: it stays here.
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
      // Captured, so that a reader on the actor does not leave it.
      _ = isolation
      return try await home.begin(inbox)
    }
    return { Source(policy, discard, .onHome(begin)) }
  }
}

/// Returns the closure, isolated to the actor whose parameter it captures. The compiler infers that for a
/// `@Sendable` closure only if it is an argument for such a parameter.
private func belongingToActor<Input, Output>(
  @_inheritActorContext _ body: @escaping @Sendable @isolated(any) (Input) async throws -> Output
) -> @Sendable @isolated(any) (Input) async throws -> Output {
  body
}
