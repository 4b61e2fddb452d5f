/// The values of an SDK that calls back again and again: a listener, an observer, a delegate, progress.
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
/// The sequence is cold: to make it registers nothing. Each iterator is a subscription of its own, which
/// registers at its first `next()`, and unregisters when it ends, whatever ends it: the SDK, a `break`, a thrown
/// error, a cancelled task, an iterator that is released. Two `for await` loops are two subscriptions.
///
/// Both closures run on the actor on which the sequence was made, whoever reads it. They may use what belongs
/// to that actor, and neither the SDK nor its token need be `Sendable`.
///
/// The sequence is not `Sendable` itself. `merge`, `debounce` and others that read it elsewhere want one that
/// is: ``sendable(isolation:)`` makes it.
///
/// For SDKs that can fail there is ``AsyncThrowingCallbackSequence``.
///
/// ## Cancellation
///
/// When the reading task is cancelled, the sequence ends as soon as the reader's actor is free, and what is in
/// the buffer is discarded. A sequence that cannot throw can only end. The line after the loop tells a cancelled
/// task from an SDK that has finished:
///
/// ```swift
/// for await step in steps() { show(step) }
/// try Task.checkCancellation()
/// ```
///
/// In a task that is cancelled already nothing is registered.
///
/// <doc:Sequences> has recipes, and <doc:Contract> has all that is guaranteed.
@frozen
public struct AsyncCallbackSequence<Element: Sendable>: AsyncSequence {
  public typealias Failure = Never

  @usableFromInline let source: Source<Element>

  @inlinable
  init(_ source: Source<Element>) {
    self.source = source
  }

  /// Makes an iterator, which has registered nothing yet.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(source)
  }

  /// One subscription. Copies share it.
  ///
  /// When the last copy is released before the end, the subscription ends. `onTermination` then runs before the
  /// release returns, if it can be known to happen on the right actor, and in a task on that actor otherwise:
  /// where an iterator is kept and released elsewhere, and on systems older than macOS 26 and iOS 26.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Failure = Never

    @usableFromInline let subscription: Subscription<Element>

    @inlinable
    init(_ source: Source<Element>) {
      subscription = Subscription(source)
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end, and ever after.
    @inlinable
    nonisolated(nonsending) public mutating func next() async -> Element? {
      if let element = subscription.take() { return element }
      return await subscription.nextElement()
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end, and ever after.
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
  /// The next element, where there is no error to throw.
  @inlinable
  func nextElement(isolation: isolated (any Actor)? = #isolation) async -> Element? {
    if case .element(let element) = await next() { element } else { nil }
  }
}

extension AsyncCallbackSequence {
  /// Makes a sequence of what an SDK calls back with.
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
