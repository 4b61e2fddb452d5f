import FakeCallbackSDK
import Synchronization

/// Runs one race after the other, each on the thread of the test and on another one.
final class RaceTrack: Sendable {
  private let race: Race
  private let actor = HandDrivenActor()
  private let number = Atomic(0)
  private let current = Protected<RacedCall?>(nil)

  init(_ race: Race) { self.race = race }

  private var state: String {
    let call = current.withLock { $0 }
    return """
      race \(number.load(ordering: .relaxed)), \(call.map(\.description) ?? race.testDescription); \
      \(actor.executor.isIdle ? "the task is not ready" : "the task is ready")
      """
  }

  /// Races `count` times, and then on until each outcome has occurred `often`. Returns what went
  /// wrong.
  func run(count: Int, often: Int) -> String? {
    Watchdog.state.withLock { $0 = { self.state } }
    defer { Watchdog.state.withLock { $0 = { "" } } }
    var random = SystemRandomNumberGenerator()
    var split = Split(of: race.outcomes)
    defer { print("\(race.testDescription): \(split)") }
    while split.goesOn(for: count, often: often) {
      number.store(split.rounds, ordering: .relaxed)
      if let failure = runOne(&random, &split) { return "race \(split.rounds), \(failure)" }
    }
    return nil
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
      if race.hasTimeout {
        // The other thread is the timer's.
        runTask(of: call)
        spin {
          actor.executor.runUntilIdle()
          return call.isOtherDone
        }
      } else {
        raceTwo { side in if side == 0 { self.runTask(of: call) } else { call.play(.other) } }
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

  private func runTask(of call: RacedCall) {
    call.start(on: actor)
    actor.executor.runUntilIdle()
    if call.meeting == .asleep { call.play(.task) { !actor.executor.isIdle } }
  }
}
