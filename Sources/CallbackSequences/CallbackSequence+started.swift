extension CallbackSequence {
  /// Registers now rather than at the first read. Returns the subscription, which can be read once.
  ///
  /// ```swift
  /// let quotes = AsyncCallbackSequence(buffering: .newest(1)) { [feed] yield in
  ///   feed.addListener(yield)
  /// } onTermination: { [feed] token in
  ///   feed.removeListener(token)
  /// }.started()
  /// try await feed.subscribe(to: name)
  /// ```
  ///
  /// Elements wait in the buffer from now on. The subscription ends like any other: when the SDK
  /// ends it, when its reader is cancelled, or when the last copy of what this returns is released.
  /// Leaving a loop does not end it while you keep a copy. It registers in a cancelled task, too,
  /// because another task may read it. It keeps its actor alive, so an actor that stores it is not
  /// released before it ends.
  ///
  /// Call it where the sequence was made. Throws what the registration throws.
  public func started() throws(Failure) -> Iterator {
    let inbox = source.makeInbox()
    do {
      return Iterator(Subscription(inbox, try source.beginHere(inbox)))
    } catch {
      guard let failure = error as? Failure else {
        preconditionFailure("'subscribe' can only throw 'Failure'")
      }
      throw failure
    }
  }
}

/// A subscription from ``CallbackSequence/started()`` can be read with `for await`, too.
extension CallbackSequence.Iterator: AsyncSequence {
  /// Returns this subscription, not another one.
  public func makeAsyncIterator() -> Self { self }
}
