import FakeCallbackSDK
import Foundation
import Synchronization

/// Two long-lived threads that run one race after the other: starting a thread for each would take longer
/// than the race.
final class RaceTrack: Sendable {
  struct Result: Sendable, CustomStringConvertible {
    let race: Race
    var split: Split<Race.Outcome>
    var failure: String?

    var description: String { "\(race.name): \(split)" }
  }

  private let race: Race
  private let actor = HandDrivenActor()
  private let number = Atomic(0)
  /// Raised when the other thread has a race to take part in.
  private let turn = Atomic(0)
  private let isOver = Atomic(false)
  private let current = Protected<RacedCall?>(nil)

  private init(_ race: Race) {
    self.race = race
  }

  /// Races `count` times, and then on until each outcome has occurred `often`.
  static func run(_ race: Race, count: Int, often: Int) async -> Result {
    let track = RaceTrack(race)
    // Threads of their own: the library's timers need those of the pool.
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread { track.takePart() }
      Thread.detachNewThread {
        continuation.resume(returning: track.run(count: count, often: often))
      }
    }
  }

  private var state: String {
    let call = current.withLock { $0 }
    return """
      race \(number.load(ordering: .relaxed)), \(call.map(\.description) ?? race.name); \
      \(actor.executor.isIdle ? "the task is not ready" : "the task is ready")
      """
  }

  private func run(count: Int, often: Int) -> Result {
    defer { isOver.store(true, ordering: .releasing) }
    Watchdog.state.withLock { $0 = { self.state } }
    defer { Watchdog.state.withLock { $0 = { "" } } }
    var random = SystemRandomNumberGenerator()
    var result = Result(race: race, split: Split(of: race.outcomes))
    while result.split.goesOn(for: count, often: often) {
      number.store(result.split.rounds, ordering: .relaxed)
      result.failure = runOne(&random, &result.split).map { "race \(result.split.rounds), \($0)" }
      if result.failure != nil { break }
    }
    return result
  }

  /// Returns what went wrong.
  private func runOne(
    _ random: inout some RandomNumberGenerator,
    _ split: inout Split<Race.Outcome>
  ) -> String? {
    let backend: Backend
    // The bridge's closures keep the watch.
    weak var watch: Watch?
    do {
      let call = RacedCall(race, &random)
      backend = call.backend
      watch = call.watch
      current.withLock { $0 = call }
      // A race with a timeout is run by the timer's thread.
      if !race.hasTimeout { turn.add(1, ordering: .releasing) }
      call.start(on: actor)
      actor.executor.runUntilIdle()
      if call.meeting == .asleep { call.play(.task) { !actor.executor.isIdle } }
      spin {
        actor.executor.runUntilIdle()
        return call.isOtherDone
      }
      call.finish(actor)
      current.withLock { $0 = nil }
      if let guarantee = call.brokenGuarantee { return "\(guarantee): \(call)" }
      if let outcome = call.outcome { split[outcome] += 1 }
    }
    // The other thread releases its objects a moment later.
    spin {
      actor.executor.runUntilIdle()
      return backend.objectsAlive == 0 && watch == nil
    }
    return nil
  }

  /// The other thread.
  private func takePart() {
    var turns = 0
    while true {
      spin { turn.load(ordering: .acquiring) > turns || isOver.load(ordering: .acquiring) }
      guard turn.load(ordering: .acquiring) > turns else { return }
      turns += 1
      current.withLock { $0 }?.play(.other)
    }
  }
}
