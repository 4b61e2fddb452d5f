public import CancellationInternals
public import CooperativeCancellation

/// Reads one subscription for a standard stream, which any number of tasks may read at the same
/// time.
@usableFromInline final class StreamReader<Element: Sendable>: Sendable {
  @usableFromInline let inbox: Inbox<Element>
  /// The home is set until a subscription begins there, at the first read. From then on, `ending`
  /// ends it.
  @usableFromInline let state: Locked<(home: Home<Element>?, ending: ActorWork?)>

  /// Registers now. If that throws, the error is all there is to read.
  @_alwaysEmitIntoClient
  init(
    _ makeInbox: @autoclosure () -> Inbox<Element>,
    home: Home<Element>? = nil,
    register: (Inbox<Element>) throws -> ActorWork?
  ) {
    var inbox = makeInbox()
    var ending: ActorWork?
    do {
      ending = try register(inbox)
    } catch {
      inbox = makeInbox()
      inbox.end(.failed(error))
    }
    self.inbox = inbox
    state = Locked(initially: (home, ending))
  }

  /// Registers now, or at the first read if the source has crossed isolation. The caller must be at
  /// the source's home.
  @_alwaysEmitIntoClient
  convenience init(_ source: Source<Element>, isolation: isolated (any Actor)?) {
    var home: Home<Element>?
    if case .onHome(let own, now: nil) = source.start { home = own }
    self.init(source.makeInbox(), home: home) { try source.beginHere($0)?.ending(isolation) }
  }

  /// Registers now, with closures of a caller that may belong to no actor.
  @_alwaysEmitIntoClient
  convenience init<Token>(
    _ policy: BufferingPolicy,
    _ discard: (@Sendable (Element) -> Void)?,
    _ terminate: @escaping @Sendable (sending Token) -> Void,
    _ callSite: CallSite,
    in subscribe: (Callback<Element>) throws -> sending Token
  ) {
    self.init(Inbox(policy, onDiscard: discard, at: callSite)) { inbox in
      let token = try inbox.register { Sent(try subscribe($0)) }
      return ActorWork {
        inbox.abandon()
        terminate(token.open())
      }
    }
  }

  deinit { end() }

  /// Ends the subscription soon, and not now, because a stream may call this under the runtime's
  /// lock.
  @usableFromInline func end() { state.locked { $0.ending.take() }?.startLater() }

  /// Returns the next element, or `nil` at the end. The caller handles its task's cancellation.
  @_alwaysEmitIntoClient
  func next() async throws -> Element? {
    while true {
      let found = inbox.state.extract { state -> InboxMachine<Element>.Found in
        // The end discards what a cancelled reader has not read.
        if case .cancelled = state.machine.phase { .over } else { state.machine.next() }
      }
      switch found {
      case .element(let element):
        return element
      case .nothing:
        if let home = state.locked({ $0.home.take() }) {
          let ending = try await home.begin(inbox, isolation: nil)
          state.locked { $0.ending = ending }
        } else {
          let place = inbox.recordReader()
          await withCheckedContinuation { inbox.keep($0) }
          place.leave()
        }
      case .ended(.failed(let error)):
        end()
        throw error
      case .ended(.finished), .cancelled, .over:
        end()
        return nil
      }
    }
  }
}

/// Keeps a throwing stream's reader, which a task releases, because this may be released under the
/// runtime's lock.
@usableFromInline final class StreamHandle<Element: Sendable>: Sendable {
  @usableFromInline let reader: Locked<StreamReader<Element>?>

  @usableFromInline
  init(_ reader: StreamReader<Element>) { self.reader = Locked(initially: reader) }

  deinit { Task { [reader] in _ = reader.exchange(for: nil) } }
}
