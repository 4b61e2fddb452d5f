// The sequence for the other shapes of callbacks.

extension AsyncThrowingCallbackSequence {
  /// Makes a sequence of what an SDK calls back with as a value and an error. An error ends the sequence.
  ///
  /// ```swift
  /// AsyncThrowingCallbackSequence(buffering: .newest(1)) { [query] yield in
  ///   query.addSnapshotListener(yield)
  /// } onTermination: { listener in
  ///   listener.remove()
  /// }
  /// ```
  ///
  /// A value beside an error is discarded. A call with neither ends the sequence with ``MissingValueError``.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in them; by default the caller's.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives a closure that the SDK may call
  ///     from any thread. When the SDK has released it, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    subscribe:
      @escaping (_ yield: @escaping @Sendable (Element?, (any Error)?) -> Void) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    let callSite = CallSite(fileID: fileID, line: line)
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        try subscribe { callback.yield($0, $1, callSite) }
      }
    )
  }

  /// Makes a sequence of what an SDK calls back with, until it calls back that it has finished or failed.
  ///
  /// ```swift
  /// AsyncThrowingCallbackSequence(buffering: .newest(1)) { [sdk, file] yield, finish in
  ///   sdk.upload(file, progress: yield, completion: finish)
  /// } onTermination: { upload in
  ///   upload.cancel()
  /// }
  /// ```
  ///
  /// `finish(nil)` ends the sequence, `finish(error)` ends it with that error. It fits a callback for errors only, too.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives closures that the SDK may call
  ///     from any thread. When the SDK has released them, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element) -> Void,
        _ finish: @escaping @Sendable ((any Error)?) -> Void
      ) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        try subscribe({ callback.yield($0) }, { callback.end($0.map { .failed($0) } ?? .finished) })
      }
    )
  }

  /// Makes a sequence of what an SDK with a closure each for values, failure and end calls back with.
  ///
  /// ```swift
  /// AsyncThrowingCallbackSequence(buffering: .unbounded) { [sdk] next, failed, finished in
  ///   sdk.subscribe(next: next, failed: failed, finished: finished)
  /// } onTermination: { subscription in
  ///   subscription.dispose()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives closures that the SDK may call
  ///     from any thread. When the SDK has released them, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe:
      @escaping (
        _ next: @escaping @Sendable (Element) -> Void,
        _ failed: @escaping @Sendable (any Error) -> Void,
        _ finished: @escaping @Sendable () -> Void
      ) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        try subscribe(
          { callback.yield($0) },
          { callback.end(.failed($0)) },
          { callback.end(.finished) }
        )
      }
    )
  }

  /// Makes a sequence of what an SDK calls back with that reports no errors, and that yet throws
  /// `CancellationError` when the reading task is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives a closure that the SDK may call
  ///     from any thread. When the SDK has released it, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
  @_disfavoredOverload
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe: @escaping (_ yield: @escaping @Sendable (Element) -> Void) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        try subscribe { callback.yield($0) }
      }
    )
  }

  /// Makes a sequence of what an SDK calls back with until it has finished, that reports no errors; it yet
  /// throws `CancellationError` when the reading task is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives closures that the SDK may call
  ///     from any thread. When the SDK has released them, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
  @_disfavoredOverload
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element) -> Void,
        _ finish: @escaping @Sendable () -> Void
      ) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        try subscribe({ callback.yield($0) }, { callback.end(.finished) })
      }
    )
  }

  /// Makes a sequence of an SDK's notifications that carry nothing, and that throws `CancellationError` when
  /// the reading task is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives a closure that the SDK may call
  ///     from any thread. When the SDK has released it, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  @_disfavoredOverload
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe: @escaping (_ yield: @escaping @Sendable () -> Void) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void
  ) where Element == Void {
    self.init(
      Source(policy, isolation: isolation, onDiscard: nil, onTermination: terminate) { callback in
        try subscribe { callback.yield(()) }
      }
    )
  }

  /// Makes a sequence of what an SDK calls back with, where that is two values, and that throws
  /// `CancellationError` when the reading task is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives a closure that the SDK may call
  ///     from any thread. When the SDK has released it, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
  @_disfavoredOverload
  @inlinable
  public init<First: Sendable, Second: Sendable, Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe: @escaping (_ yield: @escaping @Sendable (First, Second) -> Void) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (First, Second) -> Void)? = nil
  ) where Element == (First, Second) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: all(to: discard), onTermination: terminate) {
        callback in
        try subscribe { callback.yield(($0, $1)) }
      }
    )
  }

  /// Makes a sequence of what an SDK calls back with, until it has finished or failed, and tells the SDK what
  /// becomes of each element.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there.
  ///     What it throws ends the sequence, without `onTermination`. It receives closures that the SDK may call
  ///     from any thread. When the SDK has released them, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration that did not throw, after that has returned,
  ///     on the home actor, with no lock held. What it captures is kept while the sequence is: capture the SDK
  ///     rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
  @_disfavoredOverload
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element) -> YieldResult,
        _ finish: @escaping @Sendable ((any Error)?) -> Void
      ) throws -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        try subscribe({ callback.yield($0) }, { callback.end($0.map { .failed($0) } ?? .finished) })
      }
    )
  }
}
