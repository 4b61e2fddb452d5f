/// An ``AsyncCallbackSequence`` that any task on any actor may read: for a service's interface, or for
/// `merge`, `debounce`, `zip` and other operators that require a `Sendable` sequence.
///
/// On an actor, make the sequence as usual and add ``AsyncCallbackSequence/sendable(isolation:)``. Both
/// closures run on that actor:
///
/// ```swift
/// actor Thermometer {
///   private let sensor = Sensor()
///
///   func readings() -> SendableCallbackSequence<Double> {
///     AsyncCallbackSequence(buffering: .newest(1)) { [sensor] yield in
///       sensor.addListener(yield)
///     } onTermination: { [sensor] number in
///       sensor.removeListener(number)
///     }.sendable()
///   }
/// }
/// ```
///
/// In code without an actor, pass a closure that makes the sequence; each iterator calls it. Both closures
/// run on the reader's actor, and what they capture must be `Sendable`:
///
/// ```swift
/// SendableCallbackSequence {
///   AsyncCallbackSequence(buffering: .newest(1)) { [bus] yield in
///     bus.subscribe(yield)
///   } onTermination: { [bus] subscriber in
///     bus.unsubscribe(subscriber)
///   }
/// }
/// ```
///
/// Each iterator is a subscription of its own, as with ``AsyncCallbackSequence``.
public struct SendableCallbackSequence<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never

  private let source: @Sendable () -> Source<Element>

  /// Makes a sequence whose iterators each read a new sequence that `make` returns.
  ///
  /// - Parameter make: Makes the sequence. Runs once for each iterator, where the iterator is made.
  public init(_ make: @escaping @Sendable () -> AsyncCallbackSequence<Element>) {
    source = { make().source }
  }

  fileprivate init(_ source: @escaping @Sendable () -> Source<Element>) {
    self.source = source
  }

  /// Makes an iterator. Nothing is registered yet.
  public func makeAsyncIterator() -> AsyncCallbackSequence<Element>.Iterator {
    AsyncCallbackSequence.Iterator(source())
  }
}

/// An ``AsyncThrowingCallbackSequence`` that any task on any actor may read; see ``SendableCallbackSequence``.
public struct SendableThrowingCallbackSequence<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = any Error

  private let source: @Sendable () -> Source<Element>

  /// Makes a sequence whose iterators each read a new sequence that `make` returns.
  ///
  /// - Parameter make: Makes the sequence. Runs once for each iterator, where the iterator is made.
  public init(_ make: @escaping @Sendable () -> AsyncThrowingCallbackSequence<Element>) {
    source = { make().source }
  }

  fileprivate init(_ source: @escaping @Sendable () -> Source<Element>) {
    self.source = source
  }

  /// Makes an iterator. Nothing is registered yet.
  public func makeAsyncIterator() -> AsyncThrowingCallbackSequence<Element>.Iterator {
    AsyncThrowingCallbackSequence.Iterator(source())
  }
}

extension AsyncCallbackSequence {
  /// Returns the same sequence for readers on any actor.
  ///
  /// The closures still run on the actor on which this sequence was made, or on `isolation` if it was made
  /// without an actor.
  ///
  /// - Parameter isolation: The actor that this sequence belongs to; by default the caller's.
  public func sendable(
    isolation: isolated any Actor = #isolation
  ) -> SendableCallbackSequence<Element> {
    SendableCallbackSequence(source.crossingIsolation(isolation: isolation))
  }
}

extension AsyncThrowingCallbackSequence {
  /// Returns the same sequence for readers on any actor.
  ///
  /// The closures still run on the actor on which this sequence was made, or on `isolation` if it was made
  /// without an actor.
  ///
  /// - Parameter isolation: The actor that this sequence belongs to; by default the caller's.
  public func sendable(
    isolation: isolated any Actor = #isolation
  ) -> SendableThrowingCallbackSequence<Element> {
    SendableThrowingCallbackSequence(source.crossingIsolation(isolation: isolation))
  }
}
