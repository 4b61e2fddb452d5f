public import CooperativeCancellation

// Initializers of the standard types, because whoever must return one of them looks for them there.
// The label `buffering:` keeps them apart from those of the standard library.

extension AsyncStream where Element: Sendable {
  /// Registers with an SDK now, on the calling thread, and returns what it reports as a stream.
  ///
  /// ```swift
  /// nonisolated var stations: AsyncStream<String> {
  ///   AsyncStream(buffering: .unbounded) { [radio] yield, _ in
  ///     radio.addListener(yield)
  ///   } onTermination: { [radio] token in
  ///     radio.removeListener(token)
  ///   }
  /// }
  /// ```
  ///
  /// For functions that must return this type. ``AsyncCallbackSequence`` registers when read, and
  /// shows a cancellation.
  ///
  /// The SDK may call `yield` and `finish` from any thread. The stream ends when the SDK calls
  /// `finish` or releases both, when its reader is cancelled, and when it is released. The
  /// list of waiting calls names the file and the line.
  ///
  /// `subscribe` runs once, before this returns, where the caller is. Soon after the end,
  /// `terminate` receives its token, on no actor and under no lock. `discard` receives, on any
  /// thread, what is not delivered.
  @_alwaysEmitIntoClient
  public init<Token>(
    buffering policy: BufferingPolicy,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe: (
      _ yield: @escaping @Sendable (Element) -> Void,
      _ finish: @escaping @Sendable () -> Void
    ) -> sending Token,
    onTermination terminate: @escaping @Sendable (sending Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self =
      StreamReader(policy, discard, terminate, CallSite(fileID: fileID, line: line)) { callback in
        subscribe({ callback.yield($0) }, { callback.end(.finished) })
      }.stream
  }
}

extension AsyncThrowingStream where Element: Sendable, Failure == any Error {
  /// Registers with an SDK that can fail now, on the calling thread, and returns what it reports as
  /// a stream.
  ///
  /// `finish(nil)` ends the stream; `finish(error)` ends it with that error. If `subscribe` throws,
  /// the stream throws that error, what came before is discarded, and `onTermination` does not run.
  /// A cancelled reader gets `nil`: write `try Task.checkCancellation()` after the loop. If it is
  /// cancelled between two reads, a second reader that is waiting keeps waiting, and the SDK stays
  /// registered, until one more element or the end arrives. The rest is the same as for an
  /// `AsyncStream`.
  @_alwaysEmitIntoClient
  public init<Token>(
    buffering policy: BufferingPolicy,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe: (
      _ yield: @escaping @Sendable (Element) -> Void,
      _ finish: @escaping @Sendable ((any Error)?) -> Void
    ) throws -> sending Token,
    onTermination terminate: @escaping @Sendable (sending Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self =
      StreamReader(policy, discard, terminate, CallSite(fileID: fileID, line: line)) { callback in
        try subscribe({ callback.yield($0) }, { callback.end($0.map { .failed($0) } ?? .finished) })
      }.throwingStream
  }
}
