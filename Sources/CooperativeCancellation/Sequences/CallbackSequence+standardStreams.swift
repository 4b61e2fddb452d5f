// For interfaces that require the standard library's types.

extension CrossActorCallbackSequence {
  /// Returns the elements as an `AsyncStream`, which registers at its first read.
  ///
  /// It keeps the buffering and `onDiscard` of this sequence. What `AsyncStream` lacks is lost: cancellation looks like
  /// the end, and two readers share the elements of one subscription. `onTermination` runs soon after the end, perhaps
  /// after the next reader has registered: for an SDK with one slot, write `shared().asyncStream()`.
  @inlinable
  public func asyncStream() -> AsyncStream<Element> where Failure == Never {
    StreamReader(source().makeInbox(), beginning: source).stream
  }

  /// Returns the elements as an `AsyncThrowingStream`, which registers at its first read; see ``asyncStream()``.
  @inlinable
  public func asyncThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    StreamReader(source().makeInbox(), beginning: source).throwingStream
  }
}

extension CallbackSequence {
  /// Registers now, as ``started()`` does, and returns the elements as an `AsyncStream`; see
  /// ``CrossActorCallbackSequence/asyncStream()``.
  @inlinable
  public func asyncStream(isolation: isolated any Actor = #isolation) -> AsyncStream<Element>
  where Failure == Never {
    let (inbox, termination) = begin()
    return StreamReader(inbox, ending: termination?.errand(isolation)).stream
  }

  /// Registers now, as ``started()`` does, and returns the elements as an `AsyncThrowingStream`; see
  /// ``CrossActorCallbackSequence/asyncStream()``.
  @inlinable
  public func asyncThrowingStream(
    isolation: isolated any Actor = #isolation
  ) throws(Failure) -> AsyncThrowingStream<Element, any Error> {
    let (inbox, termination) = try begin()
    return StreamReader(inbox, ending: termination?.errand(isolation)).throwingStream
  }
}

extension StreamReader {
  @inlinable
  var stream: AsyncStream<Element> {
    AsyncStream {
      try? await self.next()
    } onCancel: {
      self.cancel()
    }
  }

  @inlinable
  var throwingStream: AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream {
      try await withTaskCancellationHandler {
        try await self.next()
      } onCancel: {
        self.cancel()
      }
    }
  }
}
