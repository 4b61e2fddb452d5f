import FakeCallbackSDK

/// A clock that stands still until a test advances it.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var count = 0
    var reads = 0
  }

  private let state = Protected(State())
  private let slept = Signal()
  private let woken = Signal()
  private let ignoresCancellation: Bool

  /// - Parameters:
  ///   - now: What it shows at first.
  ///   - ignoresCancellation: Whether a sleep goes on although its task is cancelled.
  init(now: Duration = .zero, ignoresCancellation: Bool = false) {
    self.ignoresCancellation = ignoresCancellation
    state.withLock { $0.now = Instant(offset: now) }
  }

  var now: Instant {
    state.withLock { state in
      state.reads += 1
      return state.now
    }
  }

  /// How often somebody asked for the time.
  var readCount: Int { state.withLock { $0.reads } }

  var minimumResolution: Duration { .zero }

  /// How many tasks sleep now.
  var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// How many sleeps were ever begun.
  var sleepCount: Int { state.withLock { $0.count } }

  func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Waits until a sleep has begun; one call for each.
  func waitForSleeper() async {
    await slept.wait()
  }

  /// Waits until a sleep has ended; one call for each.
  func waitForWakeUp() async {
    await woken.wait()
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    defer { woken.fire() }
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.contains(number) { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
        slept.fire()
      }
    } onCancel: {
      if ignoresCancellation { return }
      let sleeper = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
