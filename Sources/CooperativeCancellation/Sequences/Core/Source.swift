/// How to begin a subscription: what a cold sequence consists of.
@frozen
@usableFromInline
package struct Source<Element: Sendable> {
  /// Begins one, on the actor on which the sequence was made: its home.
  @usableFromInline
  enum Start {
    /// The home is no actor: wherever the reader is.
    case inPlace((Shared<Inbox<Element>>) throws -> Termination)

    /// The home is an actor. To call this from there does not suspend.
    case onHome(@isolated(any) (Shared<Inbox<Element>>) async throws -> Errand)
  }

  @usableFromInline let policy: BufferingPolicy
  @usableFromInline let discard: (@Sendable (Element) -> Void)?
  @usableFromInline let start: Start

  @inlinable
  init(
    _ policy: BufferingPolicy,
    _ discard: (@Sendable (Element) -> Void)?,
    _ start: Start
  ) {
    self.policy = policy
    self.discard = discard
    self.start = start
  }

  /// Keeps the closures of a sequence that is made on `isolation`.
  @inlinable
  init<Token>(
    _ policy: BufferingPolicy,
    isolation: isolated (any Actor)?,
    onDiscard discard: (@Sendable (Element) -> Void)?,
    onTermination terminate: @escaping (Token) -> Void,
    subscribe: @escaping (Shared<Callback<Element>>) throws -> Token
  ) {
    self.init(
      policy,
      discard,
      isolation == nil
        ? .inPlace { inbox in
          let token = try register(inbox, subscribe)
          return .inPlace {
            inbox.contents.abandon()
            terminate(token)
          }
        }
        : .onHome { inbox in
          // To capture it is to belong to it.
          _ = isolation
          var token: Token? = try register(inbox, subscribe)
          return Errand {
            _ = isolation
            inbox.contents.abandon()
            // Taken, so that it is released here, and not where the errand was begun.
            if let token = token.take() { terminate(token) }
          }
        }
    )
  }
}

/// Runs the user's registration.
///
/// A function of its own, because it must let go of the callback before the reader sleeps: from then on only
/// the SDK owns it.
@inlinable
func register<Element: Sendable, Token>(
  _ inbox: Shared<Inbox<Element>>,
  _ subscribe: (Shared<Callback<Element>>) throws -> Token
) throws -> Token {
  do {
    return try subscribe(Shared(Callback(inbox)))
  } catch {
    inbox.contents.refuse()
    throw error
  }
}
