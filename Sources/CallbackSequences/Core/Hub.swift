public import CancellationInternals
public import CooperativeCancellation

/// One registration for all readers of a shared sequence: the lock around a ``HubMachine``. An
/// element goes to all inboxes under this lock, so all readers see the same order, and a new one
/// gets the latest element before any later one. Locks are taken in one order: this one, then an
/// inbox's. It wakes readers and releases after unlocking.
@usableFromInline package final class Hub<Element: Sendable>: Sendable {
  /// Where a registration's elements go. A callback of an earlier registration changes nothing.
  @usableFromInline package typealias Target = (hub: Hub, registration: Int)
  /// Waits until the registration of its reader has returned.
  @usableFromInline typealias Starter = CancellableContinuation<Void, any Error>
  /// To do after unlocking. The readers are only to be released.
  @usableFromInline typealias Afterwards = (
    wake: [any ErasedContinuation], release: [Element], readers: [Inbox<Element>]
  )

  private let source: @Sendable () -> Source<Element>
  @usableFromInline let state: Locked<HubMachine<Inbox<Element>, Element, ActorWork, Starter>>

  init(
    _ source: @escaping @Sendable () -> Source<Element>,
    _ policy: BufferingPolicy,
    replays: Bool
  ) {
    self.source = source
    state = Locked(initially: HubMachine(policy, replays: replays))
  }

  /// Begins a subscription of one reader. Returns how to end it.
  func begin(_ inbox: Inbox<Element>) -> () -> Void { begin(inbox, startedBy: nil) }

  /// Begins a subscription of one reader, and waits until the registration has returned. Throws
  /// what it throws, or a `CancellationError`.
  func start(
    _ inbox: Inbox<Element>,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> () -> Void {
    var end: (() -> Void)?
    do {
      try await throwingWait(
        .options(.abandonCallback, nil, inbox.callSite),
        as: .element,
        in: { starter in end = begin(inbox, startedBy: starter) },
        onCancel: { _ in },
        onDiscard: nil
      )
    } catch {
      end?()
      throw error
    }
    return end ?? {}
  }

  private func begin(_ inbox: Inbox<Element>, startedBy starter: Starter?) -> () -> Void {
    var afterwards: Afterwards = ([], [], [])
    let (number, mustWait) = state.locked { machine in
      if let latest = machine.latest { _ = inbox.deliver(latest, &afterwards) }
      let number = machine.join(inbox)
      return (number, starter.map { machine.waitForRegistration($0) })
    }
    for reader in afterwards.wake { reader.resume() }
    if mustWait == false { starter?.resume() }
    drive()
    return {
      _ = self.state.extract { $0.leave(number) }
      inbox.abandon()
      self.drive()
    }
  }

  /// Registers and unregisters until nothing is left to do, in a task of its own, so no reader
  /// waits for the SDK.
  private func drive() {
    guard state.locked({ $0.startDriver() }) else { return }
    Task {
      while let work = self.state.extract({ $0.nextWork() }) {
        switch work {
        case .register(let registration):
          let inbox = Inbox(.unbounded, onDiscard: nil, to: (self, registration))
          // If it throws, the readers have received the error.
          if let ending = try? await self.source().begin(inbox)?.ending(nil) {
            self.registered(ending)
          }
        case .unregister(let ending, _):
          await ending.run()
        }
      }
    }
  }

  /// A registration returned, so what it has yielded reaches the readers.
  private func registered(_ ending: ActorWork) {
    var afterwards: Afterwards = ([], [], [])
    let opened = state.extract { machine in
      machine.registered(ending) { _ = $0.deliver($1, &afterwards) }
    }
    for reader in afterwards.wake { reader.resume() }
    if let end = opened.end { for inbox in opened.readers { inbox.end(end) } }
    for starter in opened.starters { starter.resume() }
  }

  /// The SDK yielded an element, on any thread. Returns whether a reader received it.
  @_alwaysEmitIntoClient
  func yield(_ element: Element, _ registration: Int) -> Bool {
    var afterwards: Afterwards = ([], [], [])
    let isRead = deliver(element, registration, &afterwards)
    for reader in afterwards.wake { reader.resume() }
    return isRead
  }

  @_alwaysEmitIntoClient
  func deliver(_ element: Element, _ registration: Int, _ afterwards: inout Afterwards) -> Bool {
    state.locked { machine in
      let yielded = machine.yield(element, registration) {
        $0.deliver(element, &afterwards)
      }
      if let replaced = yielded.replaced { afterwards.release.append(replaced) }
      for reader in yielded.gone?.slots ?? [] {
        if let reader = reader.element { afterwards.readers.append(reader) }
      }
      return yielded.isRead
    }
  }

  /// The SDK finished, failed or released its callback, on any thread.
  @usableFromInline func end(_ end: SubscriptionEnd, _ registration: Int) {
    let ended = state.extract { $0.end(end, registration) }
    for inbox in ended.readers { inbox.end(end) }
  }

  func registrationThrew(_ error: any Error) {
    let ended = state.extract { $0.registrationThrew() }
    for inbox in ended.readers { inbox.end(.failed(error)) }
    for starter in ended.starters { starter.resume(throwing: error) }
  }
}
