/// A ``CallbackSequence`` that any task on any actor may read: for a service's interface, or for
/// `merge`, `debounce`, `zip` and other operators that require a `Sendable` sequence.
///
/// On an actor, add ``CallbackSequence/sendable(isolation:)``. Both closures run on that actor:
///
/// ```swift
/// AsyncCallbackSequence(buffering: .newest(1)) { [sensor] yield in
///   sensor.addListener(yield)
/// } onTermination: { [sensor] number in
///   sensor.removeListener(number)
/// }.sendable()
/// ```
///
/// In code without an actor, pass a closure that makes the sequence; each iterator calls it. Both
/// closures run on the reader's actor, or on none if the sequence is shared, and what they capture
/// must be `Sendable`:
///
/// ```swift
/// SendableCallbackSequence {
///   AsyncCallbackSequence(buffering: .unbounded) { [bus] yield in
///     bus.subscribe(yield)
///   } onTermination: { [bus] subscriber in
///     bus.unsubscribe(subscriber)
///   }
/// }
/// ```
///
/// Each iterator is a subscription of its own, as with ``CallbackSequence``.
public struct SendableCallbackSequence<Element: Sendable, Failure: Error>: AsyncSequence,
  Sendable
{
  @usableFromInline let source: @Sendable () -> Source<Element>
  /// Set if the readers share one registration.
  let hub: Hub<Element>?

  /// Creates a sequence whose iterators each read a new sequence that `make` returns.
  ///
  /// `make` runs wherever an iterator or a stream is made. In a shared sequence, it runs once in
  /// `shared()`, and on no actor for each registration.
  public init(_ make: @escaping @Sendable () -> CallbackSequence<Element, Failure>) {
    source = { make().source }
    hub = nil
  }

  init(_ source: @escaping @Sendable () -> Source<Element>, sharedBy hub: Hub<Element>? = nil) {
    self.source = source
    self.hub = hub
  }

  /// Creates an iterator. Nothing is registered yet.
  public func makeAsyncIterator() -> CallbackSequence<Element, Failure>.Iterator {
    CallbackSequence.Iterator(Subscription(source()))
  }
}

extension CallbackSequence {
  /// Returns the same sequence for readers on any actor.
  ///
  /// The closures still run on its actor; if it was made without one, on `isolation`, by default
  /// the caller's actor. In the initial value of a property, there is none yet: write
  /// `isolation: MainActor.shared`, or use ``SendableCallbackSequence``.
  ///
  /// The sequence keeps its actor alive, so an actor that stores it is never released. Store it
  /// elsewhere, or make it with ``SendableCallbackSequence/init(_:)``.
  public func sendable(
    isolation: isolated any Actor = #isolation
  ) -> SendableCallbackSequence<Element, Failure> {
    SendableCallbackSequence(source.crossingIsolation(isolation: isolation))
  }
}
