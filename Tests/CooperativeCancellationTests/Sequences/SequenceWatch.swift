import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK

/// What the closures of one sequence did, in order, and what a test wants done during them.
final class SequenceWatch: Sendable {
  enum Event: Equatable {
    case subscribed
    case terminated
    case discarded(String)
  }

  let line = Reports.shared.uniqueLine()
  let policy: BufferingPolicy
  /// Whether the sequence is read through an operator that runs on no actor.
  let leavesTheActor: Bool
  /// Whether `onTermination` leaves the listener where it is.
  private let keepsListening: Bool
  private let inSubscribe: @Sendable () throws -> Void
  private let inTermination: @Sendable () -> Void
  private let inDiscard: @Sendable () -> Void
  private let log = Protected<[Event]>([])

  init(
    _ policy: BufferingPolicy = .unbounded,
    leavesTheActor: Bool = false,
    keepsListening: Bool = false,
    inSubscribe: @escaping @Sendable () throws -> Void = {},
    inTermination: @escaping @Sendable () -> Void = {},
    inDiscard: @escaping @Sendable () -> Void = {}
  ) {
    self.policy = policy
    self.leavesTheActor = leavesTheActor
    self.keepsListening = keepsListening
    self.inSubscribe = inSubscribe
    self.inTermination = inTermination
    self.inDiscard = inDiscard
  }

  var events: [Event] { log.withLock { $0 } }
  var subscribed: Int { events.count { $0 == .subscribed } }
  var terminated: Int { events.count { $0 == .terminated } }

  /// The titles of all songs that were discarded, in order.
  var discarded: [String] {
    events.flatMap { event -> [String] in
      guard case .discarded(let titles) = event else { return [] }
      return titles.split(separator: "+").map(String.init)
    }
  }

  /// The body of every registration under test. An error that its sequence cannot throw is dropped.
  func subscribe<Failure: Error>(
    _: Failure.Type = (any Error).self,
    _ add: () -> Subscriber
  ) throws(Failure) -> Subscriber {
    let subscriber = add()
    log.withLock { $0.append(.subscribed) }
    do { try inSubscribe() } catch { if let failure = error as? Failure { throw failure } }
    return subscriber
  }

  /// The body of every `onTermination` under test.
  func terminate(_ subscriber: Subscriber) {
    log.withLock { $0.append(.terminated) }
    inTermination()
    if !keepsListening { subscriber.remove() }
  }

  /// The body of every `onDiscard` under test.
  func discard(_ titles: String) {
    log.withLock { $0.append(.discarded(titles)) }
    inDiscard()
  }
}
