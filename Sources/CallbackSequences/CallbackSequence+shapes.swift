// Sequences for SDKs that report no errors. They also work for the throwing sequence, where the
// registration may throw. If a form for SDKs that can fail also fits, the compiler prefers it.

extension CallbackSequence {
  /// Creates a sequence of the values that an SDK passes to its callback; ``CallbackSequence`` has
  /// an example.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - fileID: The file to name in the list of waiting calls; by default the caller's.
  ///   - line: The line to name in the list of waiting calls; by default the caller's.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home
  ///     actor, at each iterator's first `next()`, which rethrows its error.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not
  ///     throw, after the registration has returned.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any
  ///     thread.
  @_disfavoredOverload
  @_alwaysEmitIntoClient
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe:
      @escaping (_ yield: @escaping @Sendable (Element) -> Void) throws(Failure) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    source = Source(policy, isolation, discard, terminate, fileID, line) { callback in
      try subscribe { callback.yield($0) }
    }
  }

  /// Creates a sequence for an SDK with one callback for values and one for the end.
  ///
  /// The parameters are those of the initializer for a plain value.
  @_disfavoredOverload
  @_alwaysEmitIntoClient
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element) -> Void,
        _ finish: @escaping @Sendable () -> Void
      ) throws(Failure) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    source = Source(policy, isolation, discard, terminate, fileID, line) { callback in
      try subscribe({ callback.yield($0) }, { callback.end(.finished) })
    }
  }

  /// Creates a sequence for an SDK whose callback takes no arguments.
  ///
  /// The parameters are those of the initializer for a plain value.
  @_disfavoredOverload
  @_alwaysEmitIntoClient
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe: @escaping (_ yield: @escaping @Sendable () -> Void) throws(Failure) -> Token,
    onTermination terminate: @escaping (Token) -> Void
  ) where Element == Void {
    source = Source(policy, isolation, nil, terminate, fileID, line) { callback in
      try subscribe { callback.yield(()) }
    }
  }

  /// Creates a sequence for an SDK whose callback returns whether to continue.
  ///
  /// ```swift
  /// AsyncCallbackSequence(buffering: .oldest(100)) { [drive] yield in
  ///   drive.scan(yield)
  /// } onTermination: { scan in
  ///   scan.stop()
  /// }
  /// ```
  ///
  /// `yield` returns `true` while the sequence is being read, even for an element that does not fit
  /// and goes to `onDiscard`. It returns `false` when the sequence has ended or has no reader: this
  /// element went to `onDiscard`, and later ones will too. `Answer` is what the SDK's callback
  /// returns: `Bool`, or another type that has `true` and `false`. The other parameters are those
  /// of the initializer for a plain value.
  @_disfavoredOverload
  @_alwaysEmitIntoClient
  public init<Answer: ExpressibleByBooleanLiteral & Sendable, Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    in subscribe:
      @escaping (_ yield: @escaping @Sendable (Element) -> Answer) throws(Failure) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    source = Source(policy, isolation, discard, terminate, fileID, line) { callback in
      try subscribe { callback.yield($0) ? true : false }
    }
  }
}
