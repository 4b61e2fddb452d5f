public import CancellationInternals

extension CallbackSequence {
  /// Registers now, as ``started()`` does, and returns the elements as an `AsyncStream`.
  ///
  /// It keeps the buffering and `onDiscard` of this sequence. What `AsyncStream` lacks is lost:
  /// cancellation looks like the end, and two readers share the elements of one subscription.
  /// `onTermination` runs on the actor that calls this, soon after the end, perhaps after the next
  /// stream has registered: for an SDK with one slot, write `sendable().shared().asyncStream()`. In
  /// code that belongs to no actor, write `AsyncStream(buffering:)`.
  @_alwaysEmitIntoClient
  public func asyncStream(isolation: isolated any Actor = #isolation) -> AsyncStream<Element>
  where Failure == Never {
    StreamReader(source, isolation: isolation).stream
  }

  /// Registers now. The `AsyncThrowingStream` throws a registration's error, too: see
  /// ``asyncStream(isolation:)``.
  ///
  /// A cancelled reader gets `nil`, as if the SDK had succeeded: write `try
  /// Task.checkCancellation()` after the loop. If it is cancelled between two reads, a second
  /// reader that is waiting keeps waiting, and the SDK stays registered, until one more element or
  /// the end arrives, or until that reader is cancelled too. The standard library does not tell a
  /// stream of a cancellation between reads.
  @_alwaysEmitIntoClient
  public func asyncThrowingStream(
    isolation: isolated any Actor = #isolation
  ) -> AsyncThrowingStream<Element, any Error> {
    StreamReader(source, isolation: isolation).throwingStream
  }
}

extension SendableCallbackSequence {
  /// Registers, and returns the elements as an `AsyncStream`; see
  /// ``CallbackSequence/asyncStream(isolation:)``.
  ///
  /// When it registers depends on where the sequence is from:
  ///
  /// - ``CallbackSequence/sendable(isolation:)``: at the first read, because the caller may not be
  ///   on its actor.
  /// - ``shared(replayingLatest:)``: soon, in a task that serves all readers.
  /// - any other: now, where the caller is. Its `onTermination` runs on no actor.
  @_alwaysEmitIntoClient
  public func asyncStream() -> AsyncStream<Element> where Failure == Never {
    // Nothing else holds what the source captures, so its closures may run anywhere.
    StreamReader(source(), isolation: nil).stream
  }

  /// Registers, and returns the elements as an `AsyncThrowingStream`, which throws what the
  /// registration throws; see ``asyncStream()``. A cancelled reader gets `nil`, as if the SDK had
  /// succeeded.
  @_alwaysEmitIntoClient
  public func asyncThrowingStream() -> AsyncThrowingStream<Element, any Error> {
    StreamReader(source(), isolation: nil).throwingStream
  }
}

// In a cancelled task, the standard library only calls `onCancel`, or releases a throwing stream's
// closure.
extension StreamReader {
  @_alwaysEmitIntoClient
  var stream: AsyncStream<Element> {
    AsyncStream {
      try? await self.next()
    } onCancel: {
      self.inbox.cancel()
      self.end()
    }
  }

  @_alwaysEmitIntoClient
  var throwingStream: AsyncThrowingStream<Element, any Error> {
    let handle = StreamHandle(self)
    return AsyncThrowingStream {
      let reader = handle.reader.locked { $0 }
      return try await withTaskCancellationHandler {
        try await reader?.next()
      } onCancel: {
        reader?.inbox.cancel()
      }
    }
  }
}
