/// A checkpoint for hot loops: looks only now and then.
///
/// ```swift
/// var pace = PacedCheckpoint(every: 1_000)
/// for number in numbers {
///   sum += number
///   try pace.checkpoint()
/// }
/// ```
///
/// When it does not look, it counts down, which takes about a nanosecond.
public struct PacedCheckpoint: Sendable {
  /// Measures time where a pace is kept by time.
  private struct Stopwatch {
    let interval: Duration
    var due: Duration
    let elapsed: @Sendable () -> Duration
  }

  @usableFromInline let stride: Int
  @usableFromInline var stepsLeft: Int
  private var stopwatch: Stopwatch?

  /// Looks at every n-th step, the n-th first.
  ///
  /// - Parameter steps: The steps from one look to the next; 1 or less means each step.
  public init(every steps: Int) {
    stride = max(1, steps)
    stepsLeft = stride
  }

  /// Looks once in each interval of time.
  ///
  /// Reading a clock takes longer than a short step, so it is read at every n-th step only.
  ///
  /// - Parameters:
  ///   - interval: The time from one look to the next, at least; zero or less means each time that the clock
  ///     is read.
  ///   - steps: The steps from one reading of the clock to the next; 1 or less means each step.
  ///   - clock: What measures the time.
  public init(
    every interval: Duration,
    readingClockEvery steps: Int = 64,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(every: steps)
    stopwatch = Stopwatch(interval: interval, due: interval, elapsed: startStopwatch(clock))
  }

  /// Throws `CancellationError` if it is time to look and the current task is cancelled.
  @inlinable
  public mutating func checkpoint(
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(CancellationError) {
    stepsLeft &-= 1
    if stepsLeft <= 0, isDue() {
      try CooperativeCancellation.checkpoint(fileID: fileID, line: line)
    }
  }

  /// If it is time to look, lets other tasks run, then throws `CancellationError` if the current task is
  /// cancelled.
  @inlinable
  nonisolated(nonsending) public mutating func yieldingCheckpoint() async throws(CancellationError)
  {
    stepsLeft &-= 1
    if stepsLeft <= 0, isDue() {
      try await CooperativeCancellation.yieldingCheckpoint()
    }
  }

  /// Begins the next round of steps, and says whether it is time to look.
  @usableFromInline
  mutating func isDue() -> Bool {
    stepsLeft = stride
    guard let stopwatch else { return true }
    let elapsed = stopwatch.elapsed()
    guard elapsed >= stopwatch.due else { return false }
    self.stopwatch?.due = elapsed + stopwatch.interval
    return true
  }
}

/// Says how much time has passed since it was made.
private func startStopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
  let start = clock.now
  return { start.duration(to: clock.now) }
}
