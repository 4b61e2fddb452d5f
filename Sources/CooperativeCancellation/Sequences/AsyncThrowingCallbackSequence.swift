/// The values of an SDK that calls back repeatedly and can fail.
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
/// It works as ``AsyncCallbackSequence`` does, and throws the SDK's error after the elements that came before
/// it.
///
/// ## Cancellation
///
/// When the reading task is cancelled, `next()` throws `CancellationError` as soon as the reader's actor is
/// free, and the buffer is discarded. In a task that is already cancelled, nothing is registered.
///
/// See <doc:Sequences> for recipes and <doc:Contract#Sequences> for the guarantees.
@frozen
public struct AsyncThrowingCallbackSequence<Element: Sendable>: AsyncSequence {
  public typealias Failure = any Error

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

  /// One subscription. Copies share it. Releasing the last copy ends it, as with
  /// ``AsyncCallbackSequence/Iterator``.
  @frozen
  public struct Iterator: AsyncIteratorProtocol {
    public typealias Failure = any Error

    @usableFromInline let subscription: Subscription<Element>

    @inlinable
    init(_ source: Source<Element>) {
      subscription = Subscription(source)
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end and after it.
    ///
    /// Throws the error of the registration or of the SDK, or `CancellationError`, once.
    @inlinable
    nonisolated(nonsending) public mutating func next() async throws -> Element? {
      if let element = subscription.take() { return element }
      return try await subscription.nextElementOrError()
    }

    /// Waits for the next element; the first call registers. Returns `nil` at the end and after it.
    ///
    /// Throws the error of the registration or of the SDK, or `CancellationError`, once.
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
  /// Returns the next element, or throws.
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
  /// Makes a sequence for an SDK whose callback takes a `Result`. A failure ends the sequence.
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
  ///   - policy: How many elements wait for a slow reader, and which ones are dropped.
  ///   - isolation: The home of the sequence; by default the actor of the code that makes it.
  ///   - subscribe: Registers with the SDK and returns its token, or nothing. Runs on the home actor, at each
  ///     iterator's first `next()`, which throws what it throws.
  ///   - terminate: Unregisters. Runs on the home actor, once for each registration that did not throw.
  ///   - discard: Closes or frees an element that is not delivered. Runs once for each, on any thread.
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
