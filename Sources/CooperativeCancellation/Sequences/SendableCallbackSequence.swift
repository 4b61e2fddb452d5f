/// An ``AsyncCallbackSequence`` that any task on any actor may read: to hand out by a service, or for `merge`,
/// `debounce`, `zip` and other operators that demand a `Sendable` sequence.
///
/// On an actor, make the sequence as always, and add ``AsyncCallbackSequence/sendable(isolation:)``. Whoever
/// reads it, both closures run on that actor:
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
/// In code that belongs to no actor, make it in a closure, which each iterator calls. There the closures run
/// where the reader is, and what they capture must be `Sendable`:
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
/// Everything else is as for ``AsyncCallbackSequence``: each iterator is a subscription of its own.
public struct SendableCallbackSequence<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = Never

  private let source: @Sendable () -> Source<Element>

  /// Makes a sequence whose iterators each read one that `make` returns.
  ///
  /// - Parameter make: Makes the sequence. Runs once for each iterator, where that is made. What it captures
  ///   must be `Sendable`.
  public init(_ make: @escaping @Sendable () -> AsyncCallbackSequence<Element>) {
    source = { make().source }
  }

  fileprivate init(_ source: @escaping @Sendable () -> Source<Element>) {
    self.source = source
  }

  /// Makes an iterator, which has registered nothing yet.
  public func makeAsyncIterator() -> AsyncCallbackSequence<Element>.Iterator {
    AsyncCallbackSequence.Iterator(source())
  }
}

/// An ``AsyncThrowingCallbackSequence`` that any task on any actor may read; see ``SendableCallbackSequence``.
public struct SendableThrowingCallbackSequence<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = any Error

  private let source: @Sendable () -> Source<Element>

  /// Makes a sequence whose iterators each read one that `make` returns.
  ///
  /// - Parameter make: Makes the sequence. Runs once for each iterator, where that is made. What it captures
  ///   must be `Sendable`.
  public init(_ make: @escaping @Sendable () -> AsyncThrowingCallbackSequence<Element>) {
    source = { make().source }
  }

  fileprivate init(_ source: @escaping @Sendable () -> Source<Element>) {
    self.source = source
  }

  /// Makes an iterator, which has registered nothing yet.
  public func makeAsyncIterator() -> AsyncThrowingCallbackSequence<Element>.Iterator {
    AsyncThrowingCallbackSequence.Iterator(source())
  }
}

extension AsyncCallbackSequence {
  /// The same sequence, for readers anywhere.
  ///
  /// The closures run where they would have: on the actor on which this sequence was made, or on `isolation` if
  /// it was made by code that belongs to no actor.
  ///
  /// - Parameter isolation: The actor that calls this, which the sequence belongs to until now.
  public func sendable(
    isolation: isolated any Actor = #isolation
  ) -> SendableCallbackSequence<Element> {
    SendableCallbackSequence(source.crossingIsolation(isolation: isolation))
  }
}

extension AsyncThrowingCallbackSequence {
  /// The same sequence, for readers anywhere.
  ///
  /// The closures run where they would have: on the actor on which this sequence was made, or on `isolation` if
  /// it was made by code that belongs to no actor.
  ///
  /// - Parameter isolation: The actor that calls this, which the sequence belongs to until now.
  public func sendable(
    isolation: isolated any Actor = #isolation
  ) -> SendableThrowingCallbackSequence<Element> {
    SendableThrowingCallbackSequence(source.crossingIsolation(isolation: isolation))
  }
}
