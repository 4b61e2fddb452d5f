/// The values of an SDK that calls back repeatedly: a listener, an observer, a delegate, progress.
///
/// ```swift
/// func locations() -> AsyncCallbackSequence<Location> {
///   AsyncCallbackSequence(buffering: .newest(1)) { [manager] yield in
///     manager.addListener(yield)
///   } onTermination: { [manager] token in
///     manager.removeListener(token)
///   }
/// }
/// ```
///
/// The sequence is cold: making it registers nothing. Each iterator is a subscription of its own. It
/// registers at its first `next()` and unregisters when it ends: when the SDK finishes, or when the reader
/// breaks out of the loop, throws, is cancelled, or releases the iterator. Two `for await` loops are two
/// subscriptions.
///
/// Both closures run on the actor on which the sequence was made, its home, whichever actor reads it; without
/// such an actor, they run where the reader is. The SDK and its token need not be `Sendable`. The SDK may
/// call the closures that it receives from any thread, and the sequence ends when the SDK releases them. The
/// sequence keeps what your closures capture: capture the SDK rather than `self`.
///
/// The sequence is not `Sendable`. Operators that read it on another actor, such as `merge` and `debounce`,
/// need ``sendable(isolation:)``. For SDKs that can fail, use ``AsyncThrowingCallbackSequence``.
///
/// ## Cancellation
///
/// When the reading task is cancelled, the sequence ends as soon as the reader's actor is free, and discards
/// its buffer. In a task that is already cancelled, nothing is registered. The sequence cannot throw, so
/// check after the loop whether the SDK finished or the task was cancelled:
///
/// ```swift
/// for await step in steps() { show(step) }
/// try Task.checkCancellation()
/// ```
///
/// See <doc:Sequences> for recipes and <doc:Contract#Sequences> for the guarantees.
@frozen
public struct AsyncCallbackSequence<Element: Sendable>: AsyncSequence {
  public typealias Failure = Never

  @usableFromInline let source: Source<Element>

  @inlinable
  init(_ source: Source<Element>) {
    self.source = source
  }

  /// Makes an iterator. Nothing is registered yet.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(source)
  }

  /// One subscription. Copies share it.
  ///
  /// Releasing the last copy ends the subscription. `onTermination` then runs on the home actor: before the
  /// release returns if the system can tell that the release happens there, and otherwise soon after.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    @usableFromInline let subscription: Subscription<Element>

    @inlinable
    init(_ source: Source<Element>) {
      subscription = Subscription(source)
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end and after it.
    @inlinable
    nonisolated(nonsending) public mutating func next() async -> Element? {
      if let element = subscription.take() { return element }
      return await subscription.nextElement()
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end and after it.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      if let element = subscription.take() { return element }
      return await subscription.nextElement()
    }
  }
}

@available(
  *,
  unavailable,
  message:
    "its closures belong to the actor on which it was made: add '.sendable()' there, or in nonisolated code use 'SendableCallbackSequence { … }'"
)
extension AsyncCallbackSequence: Sendable {}

@available(*, unavailable)
extension AsyncCallbackSequence.Iterator: Sendable {}

extension Subscription {
  /// Returns the next element, where no error can be thrown.
  @inlinable
  func nextElement(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    if case .element(let element) = await next() { element } else { nil }
  }
}

extension AsyncCallbackSequence {
  /// Makes a sequence of the values that an SDK passes to its callback.
  ///
  /// ```swift
  /// AsyncCallbackSequence(buffering: .newest(1)) { [manager] yield in
  ///   manager.addListener(yield)
  /// } onTermination: { [manager] token in
  ///   manager.removeListener(token)
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
    subscribe: @escaping (_ yield: @escaping @Sendable (Element) -> Void) -> Token,
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
}
