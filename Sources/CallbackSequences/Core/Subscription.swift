public import CancellationInternals
public import CooperativeCancellation

/// One iterator's subscription, from its first `next()` to its end. Copies share it. Not
/// `Sendable`, so without a lock.
@usableFromInline package final class Subscription<Element: Sendable> {
  /// Set until the subscription has begun.
  @usableFromInline var source: Source<Element>?

  /// Set when the subscription has begun.
  @usableFromInline var inbox: Inbox<Element>?

  /// Set from the return of the registration to the end.
  @usableFromInline var termination: Termination<Element>?

  @_alwaysEmitIntoClient
  init(_ source: Source<Element>) { self.source = source }

  /// Reads a subscription that has begun.
  init(_ inbox: Inbox<Element>, _ termination: Termination<Element>?) {
    self.inbox = inbox
    self.termination = termination
  }

  // The iterator was released before the end.
  @inlinable
  deinit { termination?.runFromDeinit() }

  /// Takes an element that is already there. This is the fast path.
  @_alwaysEmitIntoClient
  @inline(__always)
  func take() -> Element? { Task.isCancelled ? nil : inbox?.take() }

  /// Begins if necessary, and waits for an element. Returns `nil` after the end, and for an error
  /// that it cannot throw.
  @_alwaysEmitIntoClient
  func next<Failure: Error>(
    throwing type: Failure.Type,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(Failure) -> Element? {
    let inbox: Inbox<Element>
    if let source = source.take() {
      // The check before the call: a cancelled task registers nothing.
      if Task.isCancelled { return try endThrowing(cancellationError(), as: type) }
      inbox = source.makeInbox()
      self.inbox = inbox
      do {
        termination = try await source.begin(inbox)
      } catch {
        self.inbox = nil
        return try endThrowing(error, as: type)
      }
    } else if let begun = self.inbox {
      inbox = begun
    } else {
      // The end was read.
      return nil
    }
    while true {
      if Task.isCancelled { inbox.cancel() }
      switch inbox.next() {
      case .element(let element):
        return element
      case .nothing:
        let place = inbox.recordReader()
        await SleepingTask.sleep(isolation: isolation) {
          inbox.keep($0)
        } onCancel: {
          inbox.cancel()
        }
        place.leave()
      case .ended(let end):
        await terminate(inbox.callSite)
        if case .failed(let error) = end { return try endThrowing(error, as: type) }
        return nil
      case .cancelled, .over:
        // This reader was cancelled, or a reader of a copy was cancelled or read the end, or the
        // registration has just returned to a reader that was cancelled meanwhile.
        await terminate(inbox.callSite)
        return Task.isCancelled ? try endThrowing(cancellationError(), as: type) : nil
      }
    }
  }

  /// Throws the error, if the sequence can.
  @_alwaysEmitIntoClient
  func endThrowing<Failure: Error>(
    _ error: any Error,
    as _: Failure.Type
  ) throws(Failure) -> Element? {
    if let failure = error as? Failure { throw failure }
    return nil
  }

  /// The end was read.
  @_alwaysEmitIntoClient
  func terminate(_ callSite: CallSite, isolation: isolated (any Actor)? = #isolation) async {
    inbox = nil
    await termination.take()?.run(callSite, isolation: isolation)
  }
}
