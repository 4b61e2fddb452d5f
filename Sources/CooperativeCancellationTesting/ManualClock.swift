public import CooperativeCancellation

/// A clock that advances only when a test says so, for `Timeout(.seconds(5), clock: clock)`.
///
/// ```swift
/// let task = Task { try await articles.article(1) }
/// try await clock.waitForSleeper()
/// clock.advance(by: .seconds(5))
/// await #expect(throws: TimeoutError.self) { try await task.value(within: .seconds(5)) }
/// ```
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
public final class ManualClock: Clock {
  /// A time on the clock, whose zero is when it was made.
  public typealias Instant = ContinuousClock.Instant

  typealias Sleeper = (deadline: Instant, continuation: CheckedContinuation<Void, any Error>)

  package struct State: Sendable {
    var now: Instant
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    package var sleeps = 0
    /// How many sleeps have begun to wait.
    var begun = 0
    package var wakeUps = 0
    /// How many of these a test has waited for.
    var awaitedSleeps = 0
    package var awaitedWakeUps = 0
    package var reads = 0
    /// Whether a sleep continues when its task is cancelled.
    package var ignoresCancellation = false
  }

  package let state: Observed<State>

  /// - Parameter now: The initial time, as an offset from the clock's zero.
  public init(now: Duration = .zero) { state = Observed(State(now: .now.advanced(by: now))) }

  /// The current time of this clock.
  public var now: Instant {
    state.change { state in
      state.reads += 1
      return state.now
    }
  }

  /// Zero, because the clock represents any time exactly.
  public var minimumResolution: Duration { .zero }

  /// How many tasks are asleep.
  package var sleeperCount: Int { state.state.sleepers.count }

  /// Advances the clock and wakes the tasks whose deadline has come.
  public func advance(by duration: Duration) {
    let due = state.change { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume() }
  }

  /// Waits until a sleep has begun: the first time for the first sleep, then for the second, and so
  /// on.
  ///
  /// Call it before ``advance(by:)``: otherwise the clock may advance before the wrapper's timeout
  /// begins.
  ///
  /// Waits for `limit`, and throws, as ``FakeCall/next(within:fileID:line:)`` does.
  nonisolated(nonsending) public func waitForSleeper(
    within limit: Timeout = .seconds(1),
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) async throws {
    let callSite = CallSite(fileID: fileID, line: line)
    try await state.wait(or: "nothing began to sleep on the clock", within: limit, at: callSite) {
      state -> Void? in
      guard state.awaitedSleeps < state.begun else { return nil }
      state.awaitedSleeps += 1
      return ()
    }
  }

  /// Sleeps until the clock reaches `deadline`. Throws `CancellationError` if the task is
  /// cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    defer { state.change { $0.wakeUps += 1 } }
    let number = state.change { state in
      state.sleeps += 1
      return state.sleeps
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<Void, any Error>? = state.change { state in
          state.begun += 1
          if state.cancelled.contains(number) { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers[number] = (deadline, continuation)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      let sleeper = state.change { state in
        if state.ignoresCancellation { return nil as Sleeper? }
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
