// The sequence for the other shapes of callbacks.

extension AsyncCallbackSequence {
  /// Makes a sequence of what an SDK calls back with, until it calls back that it has finished.
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
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there. It
  ///     receives closures that the SDK may call from any thread. When the SDK has released them, the sequence
  ///     ends.
  ///   - terminate: Unregisters. Runs once for each registration, after that has returned, on the home actor,
  ///     with no lock held. What it captures is kept while the sequence is: capture the SDK rather than `self`.
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

  /// Makes a sequence of an SDK's notifications that carry nothing.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there. It
  ///     receives a closure that the SDK may call from any thread. When the SDK has released it, the sequence
  ///     ends.
  ///   - terminate: Unregisters. Runs once for each registration, after that has returned, on the home actor,
  ///     with no lock held. What it captures is kept while the sequence is: capture the SDK rather than `self`.
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

  /// Makes a sequence of what an SDK calls back with, where that is two values.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there. It
  ///     receives a closure that the SDK may call from any thread. When the SDK has released it, the sequence
  ///     ends.
  ///   - terminate: Unregisters. Runs once for each registration, after that has returned, on the home actor,
  ///     with no lock held. What it captures is kept while the sequence is: capture the SDK rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
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

  /// Makes a sequence of what an SDK calls back with, and tells the SDK what becomes of each element.
  ///
  /// For an SDK whose callback returns whether to go on:
  ///
  /// ```swift
  /// AsyncCallbackSequence(buffering: .oldest(100)) { [sdk] yield in
  ///   sdk.scan { file in yield(file) != .terminated }
  /// } onTermination: { scan in
  ///   scan.stop()
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there. It
  ///     receives a closure that the SDK may call from any thread, and that returns what became of the element.
  ///     When the SDK has released it, the sequence ends.
  ///   - terminate: Unregisters. Runs once for each registration, after that has returned, on the home actor,
  ///     with no lock held. What it captures is kept while the sequence is: capture the SDK rather than `self`.
  ///   - discard: Closes or frees an element that nobody receives. Runs once for each, on the thread that
  ///     brought it or the one that took its place; or on the home actor, if it was in the buffer when the
  ///     subscription ended.
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

  /// Makes a sequence of what an SDK calls back with, until it calls back that it has finished, and tells the
  /// SDK what becomes of each element.
  ///
  /// - Parameters:
  ///   - policy: How many elements wait for a slow reader, and which ones go.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or whatever `onTermination` needs; or
  ///     nothing. Runs on the home actor at each iterator's first `next()`: at once if the reader is there. It
  ///     receives closures that the SDK may call from any thread. When the SDK has released them, the sequence
  ///     ends.
  ///   - terminate: Unregisters. Runs once for each registration, after that has returned, on the home actor,
  ///     with no lock held. What it captures is kept while the sequence is: capture the SDK rather than `self`.
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
