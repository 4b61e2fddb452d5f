public import CooperativeCancellation

/// How to begin a subscription. A cold sequence holds nothing else.
@usableFromInline package struct Source<Element: Sendable> {
  /// Begins a subscription at the sequence's home: the actor on which it was made.
  @usableFromInline enum Start {
    /// The home is not an actor: runs where the reader is.
    case inPlace((Inbox<Element>) throws -> () -> Void)

    /// The home is an actor. `now` is for code there that cannot suspend, until the source crosses
    /// isolation.
    case onHome(Home<Element>, now: ((Inbox<Element>) throws -> ActorWork)?)
  }

  @usableFromInline let policy: BufferingPolicy
  @usableFromInline let discard: (@Sendable (Element) -> Void)?
  @usableFromInline let callSite: CallSite
  @usableFromInline let start: Start
}

extension Source {
  /// Keeps the closures of a sequence that is made on `isolation`.
  @_alwaysEmitIntoClient
  init<Token>(
    _ policy: BufferingPolicy,
    _ isolation: isolated (any Actor)?,
    _ discard: (@Sendable (Element) -> Void)?,
    _ terminate: @escaping (Token) -> Void,
    _ fileID: StaticString,
    _ line: UInt,
    in subscribe: @escaping (Callback<Element>) throws -> Token
  ) {
    self.policy = policy
    self.discard = discard
    callSite = CallSite(fileID: fileID, line: line)
    if let home = isolation {
      let begin = { (inbox: Inbox<Element>) throws -> ActorWork in
        // Captured, so that the closure is isolated to it.
        _ = isolation
        var token: Token? = try inbox.register(subscribe)
        return ActorWork {
          _ = isolation
          inbox.abandon()
          // Taken, so that the token is released here and not where the ending was started.
          if let token = token.take() { terminate(token) }
        }
      }
      let belongingToHome = Home(home) { inbox in
        _ = isolation
        return try begin(inbox)
      }
      start = .onHome(belongingToHome, now: begin)
    } else {
      start = .inPlace { inbox in
        let token = try inbox.register(subscribe)
        return {
          inbox.abandon()
          terminate(token)
        }
      }
    }
  }

  @_alwaysEmitIntoClient
  func makeInbox() -> Inbox<Element> { Inbox(policy, onDiscard: discard, at: callSite) }

  /// Begins a subscription for a caller at home. Returns how to end it, or `nil` if the source has
  /// crossed isolation.
  @_alwaysEmitIntoClient
  func beginHere(_ inbox: Inbox<Element>) throws -> Termination<Element>? {
    switch start {
    case .inPlace(let start): .inPlace(try start(inbox))
    case .onHome(let home, let start): try start.map { .onHome(try $0(inbox), home) }
    }
  }

  /// Begins a subscription from anywhere. Returns how to end it, or `nil` if a reader was cancelled
  /// before it began.
  @_alwaysEmitIntoClient
  func begin(
    _ inbox: Inbox<Element>,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Termination<Element>? {
    switch start {
    case .inPlace(let start): .inPlace(try start(inbox))
    case .onHome(let home, now: _):
      try await home.begin(inbox, isolation: isolation).map { .onHome($0, home) }
    }
  }
}

extension Inbox {
  /// Runs the user's registration. A separate function, so that only the SDK owns the callback when
  /// the reader sleeps.
  @_alwaysEmitIntoClient
  func register<Token>(_ subscribe: (Callback<Element>) throws -> Token) throws -> Token {
    let callback = Callback(self)
    do {
      return try subscribe(callback)
    } catch {
      // Before the callback is released, which would end the sequence without an error.
      registrationThrew(error)
      withExtendedLifetime(callback) {}
      throw error
    }
  }
}
