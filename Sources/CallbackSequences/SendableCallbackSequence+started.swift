import CooperativeCancellation

extension SendableCallbackSequence {
  /// Registers now rather than at the first read. Returns the subscription, which can be read once.
  ///
  /// ```swift
  /// func quotes(for name: String) async throws -> AsyncCallbackSequence<Double>.Iterator {
  ///   let quotes = await quotes.started()
  ///   try await feed.subscribe(to: name)
  ///   return quotes
  /// }
  /// ```
  ///
  /// Returns when the registration has returned: on the sequence's home, if it has one. In a shared
  /// sequence, it joins the registration of the other readers, or waits for the one that begins
  /// with it. Elements wait in the buffer from then on.
  ///
  /// The subscription ends as one from ``CallbackSequence/started()`` does. Throws what the
  /// registration throws.
  ///
  /// ## Cancellation
  ///
  /// In a cancelled task, nothing is registered. If the task is cancelled meanwhile, this does not
  /// wait for the registration, which ends when it has returned. Throws `CancellationError` if
  /// `Failure` is `any Error`; otherwise, the subscription that it returns has ended.
  nonisolated(nonsending) public func started() async throws(Failure)
    -> CallbackSequence<Element, Failure>.Iterator
  {
    let source = source()
    let inbox = source.makeInbox()
    do {
      if Task.isCancelled { throw cancellationError() }
      let termination: Termination<Element>?
      if let hub {
        termination = .inPlace(try await hub.start(inbox))
      } else {
        termination = try await source.begin(inbox)
      }
      let subscription = Subscription(inbox, termination)
      if Task.isCancelled { throw cancellationError() }
      return CallbackSequence.Iterator(subscription)
    } catch {
      if let failure = error as? Failure { throw failure }
      // Only a cancellation, because a registration throws nothing else than a `Failure`.
      inbox.cancel()
      return CallbackSequence.Iterator(Subscription(inbox, nil))
    }
  }
}
