import CooperativeCancellationTesting
import FakeCallbackSDK
import Synchronization

/// A minimal SDK for races. It answers while it holds the lock that its `cancel()` takes, as
/// many do in C and Objective-C.
final class RacedSDK: Sendable {
  typealias Completion = @Sendable (Value?) -> Void

  final class Value: Sendable {
    private let life: Life

    init(_ population: Population) {
      life = Life(of: population)
    }
  }

  /// Not `Sendable`, as requests are.
  final class Request {
    private let sdk: RacedSDK
    private let life: Life

    init(_ sdk: RacedSDK) {
      self.sdk = sdk
      life = Life(of: sdk.population)
    }

    func cancel() {
      sdk.lock.withLock { _ = sdk.cancels.add(1, ordering: .relaxed) }
    }
  }

  private let population: Population
  private let lock = RecursiveLock()
  private let completion = Protected<Completion?>(nil)
  private let answers = Atomic(0)
  private let cancels = Atomic(0)

  init(_ population: Population) {
    self.population = population
  }

  /// How many values it has made.
  var produced: Int { answers.load(ordering: .acquiring) }
  var cancelled: Int { cancels.load(ordering: .acquiring) }

  func begin(_ completion: @escaping Completion) -> Request {
    let life = Life(of: population)
    self.completion.withLock { kept in
      kept = { value in withExtendedLifetime(life) { completion(value) } }
    }
    return Request(self)
  }

  /// Calls the completion, if there is one.
  func answer() {
    guard let completion = completion.withLock({ $0 }) else { return }
    answers.add(1, ordering: .releasing)
    lock.withLock { completion(Value(population)) }
  }

  /// Forgets the completion.
  func drop() {
    let forgotten = completion.withLock { $0.take() }
    _ = forgotten  // Released here, after unlocking.
  }
}
