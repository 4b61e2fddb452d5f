// The throwing sequence for the other callback shapes.

extension AsyncThrowingCallbackSequence {
  /// Makes a sequence for an SDK whose callback takes a value and an error. An error ends the sequence.
  ///
  /// ```swift
  /// AsyncThrowingCallbackSequence(buffering: .newest(1)) { [query] yield in
  ///   query.addSnapshotListener(yield)
  /// } onTermination: { listener in
  ///   listener.remove()
  /// }
  /// ```
  ///
  /// A value that comes with an error is discarded. A call with neither ends the sequence with ``MissingValueError``.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - fileID: The file to name in errors; by default the caller's.
  ///   - line: The line to name in errors; by default the caller's.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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

  /// Makes a sequence for an SDK with one callback for values and one for the end, which takes an optional
  /// error.
  ///
  /// ```swift
  /// AsyncThrowingCallbackSequence(buffering: .newest(1)) { [sdk, file] yield, finish in
  ///   sdk.upload(file, progress: yield, completion: finish)
  /// } onTermination: { upload in
  ///   upload.cancel()
  /// }
  /// ```
  ///
  /// `finish(nil)` ends the sequence; `finish(error)` ends it with that error. It also fits a callback for
  /// errors only.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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

  /// Makes a sequence for an SDK with three callbacks: values, failure and end.
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
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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

  /// Makes a sequence for an SDK that reports no errors. It throws `CancellationError` when the reading task
  /// is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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

  /// Makes a sequence for an SDK that reports no errors, with one callback for values and one for the end. It
  /// throws `CancellationError` when the reading task is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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

  /// Makes a sequence for an SDK whose callback takes no arguments. It throws `CancellationError` when the
  /// reading task is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
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

  /// Makes a sequence for an SDK whose callback takes two values. It throws `CancellationError` when the
  /// reading task is cancelled.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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

  /// Makes a sequence for an SDK with one callback for values, which returns whether to continue, and one for
  /// the end, which takes an optional error.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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
