// Elements that must be answered, and publishers.

import CallbackSequences
import CooperativeCancellation
import CooperativeCancellationTesting
import Synchronization

@MainActor
final class Health {
  private let store: HealthStore

  init(_ store: HealthStore) { self.store = store }

  /// Each element is the SDK's handler, to be called when the update has been read.
  private func updates() -> AsyncThrowingCallbackSequence<@Sendable () -> Void> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [store] yield in
      store.observe { @Sendable done, error in yield(done, error) }
    } onTermination: { query in
      query.stop()
    } onDiscard: { done in
      done()
    }
  }

  func sync(_ read: () async throws -> Void) async throws {
    for try await done in updates() {
      defer { done() }
      try await read()
    }
  }
}

@MainActor
final class Weather {
  private let temperatures: TemperaturePublisher

  init(_ temperatures: TemperaturePublisher) { self.temperatures = temperatures }

  func degrees() -> AsyncThrowingCallbackSequence<Double> {
    AsyncThrowingCallbackSequence(buffering: .unbounded) { [temperatures] yield, finish in
      temperatures.sink { @Sendable completion in
        switch completion {
        case .finished: finish(nil)
        case .failure(let error): finish(error)
        }
      } receiveValue: { @Sendable degrees in
        yield(degrees)
      }
    } onTermination: { cancellable in
      cancellable.cancel()
    }
  }

  /// Returns `nil` if the publisher finishes without a value.
  func firstDegrees() async throws -> Double? {
    for try await degrees in degrees() { return degrees }
    return nil
  }
}

// MARK: - The SDKs

/// As HealthKit, by Apple's page of `HKObserverQueryCompletionHandler`: each update brings a
/// handler, which must be called, or updates in the background end.
nonisolated final class HealthStore: Sendable {
  private let unanswered: LiveCount
  private let updateCount: Int

  /// - Parameter unanswered: Counts the handlers that were not called.
  init(unanswered: LiveCount, updateCount: Int = 1) {
    self.unanswered = unanswered
    self.updateCount = updateCount
  }

  func observe(
    _ handler: @escaping @Sendable (@escaping @Sendable () -> Void, (any Error)?) -> Void
  ) -> Query {
    Query(
      SDKRequest { [unanswered, updateCount] error in
        for _ in 1...updateCount {
          unanswered.increment()
          handler({ unanswered.decrement() }, error)
        }
      }
    )
  }
}

nonisolated final class Query {
  private let request: SDKRequest

  init(_ request: SDKRequest) { self.request = request }

  func stop() { request.cancel() }
}

/// As a publisher of Combine or OpenCombine, by Apple's page of
/// `sink(receiveCompletion:receiveValue:)`: neither closure is `@Sendable`, and the subscription
/// goes on until it is cancelled or completes.
nonisolated final class TemperaturePublisher {
  enum Completion { case finished, failure(any Error) }

  private let values: [Double]

  init(values: [Double] = [21, 22]) { self.values = values }

  func sink(
    receiveCompletion: @escaping (Completion) -> Void,
    receiveValue: @escaping (Double) -> Void
  ) -> Cancellable {
    nonisolated(unsafe) let (receiveCompletion, receiveValue) = (receiveCompletion, receiveValue)
    return Cancellable(
      SDKRequest { [values] error in
        if let error { return receiveCompletion(.failure(error)) }
        values.forEach(receiveValue)
        receiveCompletion(.finished)
      }
    )
  }
}

nonisolated final class Cancellable {
  private let request: SDKRequest

  init(_ request: SDKRequest) { self.request = request }

  func cancel() { request.cancel() }
}
