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
/// Use it under its two names: ``AsyncCallbackSequence`` for SDKs that cannot fail, and
/// ``AsyncThrowingCallbackSequence`` for those that can. With an error type of your own as
/// `Failure`, the registration may throw that error, in a closure that begins with `yield
/// throws(MyError) in`.
///
/// The sequence is cold: making it registers nothing. Each iterator is a subscription of its own.
/// It registers at its first `next()` and unregisters when it ends: when the SDK finishes or fails,
/// or when the reader breaks out of the loop, throws, is cancelled, or releases the iterator. Two
/// `for await` loops are two subscriptions.
///
/// Both closures run on the actor on which the sequence was made, its home, whoever reads it;
/// without one, where the reader is. The SDK and its token need not be `Sendable`. The SDK may call
/// its closures from any thread; the sequence ends when it releases them. The sequence keeps what
/// your closures capture: capture the SDK rather than `self`.
///
/// The sequence is not `Sendable`. For `merge`, `debounce` and readers elsewhere, use
/// ``sendable(isolation:)``.
///
/// ## Cancellation
///
/// When the reading task is cancelled, the sequence ends as soon as the reader's actor is free, and
/// discards its buffer. In a cancelled task, nothing is registered. If `Failure` is `any Error`,
/// `next()` throws `CancellationError`. Otherwise it returns `nil`: check after the loop whether
/// the task was cancelled:
///
/// ```swift
/// for await song in player.songs() { print("song:", song) }
/// try Task.checkCancellation()
/// ```
///
/// See <doc:Sequences> for recipes and <doc:Contract#Sequences> for the guarantees.
public struct CallbackSequence<Element: Sendable, Failure: Error>: AsyncSequence {
  /// In the iterator, `Failure` would be the associated type, which older systems lack.
  @usableFromInline typealias Thrown = Failure

  @usableFromInline let source: Source<Element>

  /// Creates an iterator. Nothing is registered yet.
  @_alwaysEmitIntoClient
  public func makeAsyncIterator() -> Iterator { Iterator(Subscription(source)) }

  /// One subscription. Copies share it.
  ///
  /// Releasing the last copy ends the subscription. `onTermination` then runs on the home actor:
  /// before the release returns if the system can tell that the release happens there, and
  /// otherwise soon after.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let subscription: Subscription<Element>

    @_alwaysEmitIntoClient
    init(_ subscription: Subscription<Element>) { self.subscription = subscription }

    /// Waits for the next element; the first call registers. Returns `nil` at the end and after it.
    ///
    /// Throws the error of the registration or of the SDK, or `CancellationError`, once, if it is a
    /// `Failure`.
    @_alwaysEmitIntoClient
    nonisolated(nonsending) public mutating func next() async throws(Failure) -> Element? {
      if let element = subscription.take() { return element }
      return try await subscription.next(throwing: Thrown.self)
    }

    /// The same, for an actor that the caller names.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @_alwaysEmitIntoClient
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Element? {
      if let element = subscription.take() { return element }
      return try await subscription.next(throwing: Thrown.self)
    }
  }
}

/// The values of an SDK that calls back repeatedly and cannot fail; see ``CallbackSequence``.
public typealias AsyncCallbackSequence<Element: Sendable> = CallbackSequence<Element, Never>

/// The values of an SDK that calls back repeatedly and can fail; see ``CallbackSequence``.
///
/// It throws the SDK's error after the earlier elements, and `CancellationError` when the reading
/// task is cancelled.
public typealias AsyncThrowingCallbackSequence<Element: Sendable> =
  CallbackSequence<Element, any Error>

@available(
  *,
  unavailable,
  message:
    "its closures belong to the actor on which it was made: add '.sendable()' there, or in nonisolated code use 'SendableCallbackSequence { … }'"
)
extension CallbackSequence: Sendable {}

@available(*, unavailable)
extension CallbackSequence.Iterator: Sendable {}
