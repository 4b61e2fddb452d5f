/// The values of an SDK that calls back again and again, and that can fail.
///
/// ```swift
/// func messages() -> AsyncThrowingCallbackSequence<Message> {
///   AsyncThrowingCallbackSequence(buffering: .unbounded) { [socket] yield in
///     socket.onMessage = yield
///   } onTermination: { [socket] in
///     socket.onMessage = nil
///   }
/// }
/// ```
///
/// Everything is as for ``AsyncCallbackSequence``, but for errors: one that the SDK reports is thrown after the
/// elements that came before it, and a cancelled task gets `CancellationError`.
///
/// ## Cancellation
///
/// When the reading task is cancelled, `next()` throws `CancellationError` as soon as the reader's actor is free,
/// and what is in the buffer is discarded: a cancellation is not an end. In a task that is cancelled already
/// nothing is registered.
///
/// <doc:Sequences> has recipes, and <doc:Contract> has all that is guaranteed.
@frozen
public struct AsyncThrowingCallbackSequence<Element: Sendable>: AsyncSequence {
  public typealias Failure = any Error

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
  /// When the last copy is released before the end, the subscription ends as that of an
  /// ``AsyncCallbackSequence/Iterator`` does.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Failure = any Error

    @usableFromInline let subscription: Subscription<Element>

    @inlinable
    init(_ source: Source<Element>) {
      subscription = Subscription(source)
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end, and ever after.
    ///
    /// Throws what the registration threw, the SDK's error, or `CancellationError`; once.
    @inlinable
    nonisolated(nonsending) public mutating func next() async throws -> Element? {
      if let element = subscription.take() { return element }
      return try await subscription.nextElementOrError()
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end, and ever after.
    ///
    /// Throws what the registration threw, the SDK's error, or `CancellationError`; once.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      if let element = subscription.take() { return element }
      return try await subscription.nextElementOrError()
    }
  }
}

@available(
  *,
  unavailable,
  message:
    "its closures belong to the actor on which it was made: add '.sendable()' there, or in nonisolated code use 'SendableThrowingCallbackSequence { … }'"
)
extension AsyncThrowingCallbackSequence: Sendable {}

@available(*, unavailable)
extension AsyncThrowingCallbackSequence.Iterator: Sendable {}

extension Subscription {
  /// The next element, or what there is to throw.
  @inlinable
  func nextElementOrError(
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Element? {
    switch await next() {
    case .element(let element): return element
    case .ended(.failed(let error)): throw error
    case .cancelled: throw CancellationError()
    case .ended(.finished), .over: return nil
    }
  }
}

extension AsyncThrowingCallbackSequence {
  /// Makes a sequence of what an SDK calls back with as a `Result`, again and again. An error ends it.
  ///
  /// ```swift
  /// AsyncThrowingCallbackSequence(buffering: .unbounded) { [socket] yield in
  ///   socket.onMessage = yield
  /// } onTermination: { [socket] in
  ///   socket.onMessage = nil
  /// }
  /// ```
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
  @inlinable
  public init<Reason: Error, Token>(
    buffering policy: BufferingPolicy,
    isolation: isolated (any Actor)? = #isolation,
    subscribe:
      @escaping (_ yield: @escaping @Sendable (Result<Element, Reason>) -> Void) throws -> Token,
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
}
