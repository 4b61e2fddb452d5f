/// One iterator's subscription, from its first `next()` to its end. Copies of the iterator share it.
///
/// It is not `Sendable`, so it needs no lock.
@_fixed_layout
@usableFromInline
package final class Subscription<Element: Sendable> {
  /// Set until the subscription has begun.
  @usableFromInline var source: Source<Element>?

  /// Set when the subscription has begun.
  @usableFromInline var inbox: Shared<Inbox<Element>>?

  /// Set from the return of the registration to the end.
  @usableFromInline var termination: Termination<Element>?

  @inlinable
  init(_ source: Source<Element>) {
    self.source = source
  }

  /// Reads a subscription that has begun.
  @inlinable
  init(_ inbox: Shared<Inbox<Element>>, _ termination: Termination<Element>?) {
    self.inbox = inbox
    self.termination = termination
  }

  // The iterator was released before the end.
  @inlinable
  deinit {
    termination?.runFromDeinit()
  }

  /// What a reader receives.
  @usableFromInline
  enum Received {
    case element(Element)
    case ended(SubscriptionEnd)
    case cancelled
    /// The end was read earlier.
    case over
  }

  /// Takes an element that is already there. This is the fast path.
  @inlinable
  @inline(__always)
  func take() -> Element? {
    Task.isCancelled ? nil : inbox?.contents.take()
  }

  /// Begins if necessary, and waits for an element or the end.
  @inlinable
  func next(isolation: isolated (any Actor)? = #isolation) async -> Received {
    let inbox: Shared<Inbox<Element>>
    if let source = source.take() {
      // Check before: a cancelled task registers nothing.
      if Task.isCancelled { return .cancelled }
      inbox = source.makeInbox()
      self.inbox = inbox
      do {
        termination = try await source.begin(inbox)
      } catch {
        self.inbox = nil
        return .ended(.failed(error))
      }
    } else if let begun = self.inbox {
      inbox = begun
    } else {
      return .over
    }
    while true {
      if Task.isCancelled { inbox.contents.cancel() }
      switch inbox.contents.next() {
      case .element(let element):
        return .element(element)
      case .nothing:
        let place = inbox.recordReader()
        await sleepUntilResumed(isolation: isolation) {
          inbox.contents.sleep($0)
        } onCancel: {
          inbox.contents.cancel()
        }
        if place >= 0 { Recorder.remove(place) }
      case .ended(let end):
        await terminate()
        return .ended(end)
      case .cancelled, .over:
        // Perhaps a reader of a copy was cancelled or read the end first. Perhaps this call registered, and the
        // registration has just returned.
        await terminate()
        return Task.isCancelled ? .cancelled : .over
      }
    }
  }

  /// The end was read.
  @inlinable
  func terminate(isolation: isolated (any Actor)? = #isolation) async {
    inbox = nil
    await termination.take()?.run(isolation: isolation)
  }
}

/// Sleeps until the continuation is resumed.
@usableFromInline
func sleepUntilResumed(
  isolation: isolated (any Actor)?,
  _ keep: (any ErasedContinuation) -> Void,
  onCancel cancel: @Sendable () -> Void
) async {
  if isolation == nil {
    // The other branch would also work, but costs 1 kB more for each sleeping task.
    await sleepAnywhere(keep, onCancel: cancel)
  } else {
    await withTaskCancellationHandler {
      // Captured, so that the task does not leave the actor to sleep.
      _ = isolation
      await withCheckedContinuation { keep($0) }
    } onCancel: {
      cancel()
    }
  }
}

nonisolated(nonsending) private func sleepAnywhere(
  _ keep: (any ErasedContinuation) -> Void,
  onCancel cancel: @Sendable () -> Void
) async {
  await withTaskCancellationHandler {
    await withCheckedContinuation { keep($0) }
  } onCancel: {
    cancel()
  }
}
