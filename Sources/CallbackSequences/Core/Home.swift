internal import CooperativeCancellation

/// The actor on which a sequence was made, with the closure that begins a subscription there.
///
/// It is an actor of its own for the type checker only, because closures that are not `Sendable`
/// then have a `Sendable` reference, which the compiler checks. It shares the executor of the home,
/// so a hop between the two does not suspend.
@usableFromInline package actor Home<Element: Sendable> {
  private let home: any Actor
  private let start: @isolated(any) (Inbox<Element>) async throws -> ActorWork

  // `unsafe`, because the reference to the executor is unowned. It is valid, because an actor keeps
  // its executor, this actor keeps `home`, and the runtime asks only actors that are alive.
  @usableFromInline
  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe home.unownedExecutor }

  @usableFromInline init(
    _ home: any Actor,
    @_inheritActorContext _ start:
      sending @escaping @isolated(any) (Inbox<Element>) async throws -> ActorWork
  ) {
    self.home = home
    self.start = start
  }

  /// Begins a subscription. Returns how to end it, or `nil` if a reader was cancelled before it
  /// began. A reader that is cancelled meanwhile does not wait. The registration is terminated when
  /// it returns.
  @usableFromInline
  func begin(_ inbox: Inbox<Element>, isolation: isolated (any Actor)?) async throws -> ActorWork? {
    // Nothing cancels the driver of a shared sequence. It is not listed, because its readers are.
    if inbox.target != nil { return try await register(inbox).get() }
    // Not the bridge's `onCancel`, which needs the reader's actor.
    return try await withTaskCancellationHandler {
      // Captured, so that the reader does not leave its actor.
      _ = isolation
      return await perform(inbox.callSite, fallback: .success(nil), isolation: isolation) { home in
        await home.register(inbox)
      } onDiscard: { result in
        (try? result.get())?.start()
      }
    } onCancel: {
      inbox.cancel()
    }.get()
  }

  /// Ends a subscription. A cancelled reader on another actor does not wait.
  func run(_ ending: ActorWork, _ callSite: CallSite, isolation: isolated (any Actor)?) async {
    await perform(callSite, fallback: (), isolation: isolation) { _ in await ending.run() }
    // If the reader did not wait, the work may not have begun.
    ending.start()
  }

  private func register(_ inbox: Inbox<Element>) async -> Result<ActorWork?, any Error> {
    guard inbox.isOpen else { return .success(nil) }
    do { return .success(try await start(inbox)) } catch { return .failure(error) }
  }

  /// Does the work here. A reader on another actor waits until the work is done or the reader is
  /// cancelled.
  private func perform<Output: Sendable>(
    _ callSite: CallSite,
    fallback: Output,
    isolation: isolated (any Actor)?,
    _ work: @escaping @Sendable (isolated Home) async -> Output,
    onDiscard discard: (@Sendable (Output) -> Void)? = nil
  ) async -> Output {
    // The reader is at home, so nothing suspends, and there is nothing to wait for.
    if isolation === home { return await work(self) }
    let options = CallOptions.options(.abandonCallback, nil, callSite)
    return await fallbackWait(options, as: .element, fallback: fallback) { continuation in
      // Answers before it leaves the actor.
      startTask {
        await { (home: isolated Home) in continuation.resume(returning: await work(home)) }(self)
      }
    } onCancel: {
    } onDiscard: {
      discard?($0)
    }
  }
}

extension Source {
  /// Returns the same source for readers on any actor. It registers and unregisters on its home, or
  /// on `isolation`.
  func crossingIsolation(isolation: isolated any Actor) -> @Sendable () -> Source {
    let home: Home<Element>
    switch start {
    case .inPlace(let start):
      // It was made without an actor, and this actor owns it, so it stays here.
      home = Home(isolation) { inbox in
        _ = isolation
        let terminate = try start(inbox)
        return ActorWork {
          _ = isolation
          terminate()
        }
      }
    case .onHome(let own, now: _):
      home = own
    }
    // Copied, because the closure is `Sendable`, and this source is not.
    let policy = policy
    let discard = discard
    let callSite = callSite
    return {
      Source(policy: policy, discard: discard, callSite: callSite, start: .onHome(home, now: nil))
    }
  }
}
