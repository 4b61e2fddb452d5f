// The sequence for the other callback shapes.

extension AsyncCallbackSequence {
  /// Makes a sequence for an SDK with one callback for values and one for the end.
  ///
  /// ```swift
  /// AsyncCallbackSequence(buffering: .unbounded) { [sdk] yield, finish in
  ///   sdk.search("beach", found: yield, done: finish)
  /// } onTermination: { search in
  ///   search.stop()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element) -> Void,
        _ finish: @escaping @Sendable () -> Void
      ) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        subscribe({ callback.yield($0) }, { callback.end(.finished) })
      }
    )
  }

  /// Makes a sequence for an SDK whose callback takes no arguments.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration.
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe: @escaping (_ yield: @escaping @Sendable () -> Void) -> Token,
    onTermination terminate: @escaping (Token) -> Void
  ) where Element == Void {
    self.init(
      Source(policy, isolation: isolation, onDiscard: nil, onTermination: terminate) { callback in
        subscribe { callback.yield(()) }
      }
    )
  }

  /// Makes a sequence for an SDK whose callback takes two values.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
  @inlinable
  public init<First: Sendable, Second: Sendable, Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe: @escaping (_ yield: @escaping @Sendable (First, Second) -> Void) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (First, Second) -> Void)? = nil
  ) where Element == (First, Second) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: all(to: discard), onTermination: terminate) {
        callback in
        subscribe { callback.yield(($0, $1)) }
      }
    )
  }

  /// Makes a sequence for an SDK whose callback returns whether to continue.
  ///
  /// ```swift
  /// AsyncCallbackSequence(buffering: .oldest(100)) { [sdk] yield in
  ///   sdk.scan { file in yield(file) != .terminated }
  /// } onTermination: { scan in
  ///   scan.stop()
  /// }
  /// ```
  ///
  /// `yield` returns what happened to the element.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
  @_disfavoredOverload
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe: @escaping (_ yield: @escaping @Sendable (Element) -> YieldResult) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        subscribe { callback.yield($0) }
      }
    )
  }

  /// Makes a sequence for an SDK with one callback for values, which returns whether to continue, and one for
  /// the end.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
  @_disfavoredOverload
  @inlinable
  public init<Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe:
      @escaping (
        _ yield: @escaping @Sendable (Element) -> YieldResult,
        _ finish: @escaping @Sendable () -> Void
      ) -> Token,
    onTermination terminate: @escaping (Token) -> Void,
    onDiscard discard: (@Sendable (Element) -> Void)? = nil
  ) {
    self.init(
      Source(policy, isolation: isolation, onDiscard: discard, onTermination: terminate) {
        callback in
        subscribe({ callback.yield($0) }, { callback.end(.finished) })
      }
    )
  }
}
