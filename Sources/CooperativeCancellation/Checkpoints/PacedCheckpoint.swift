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
    /// In nanoseconds, as all that follows.
    let interval: Int64
    var due: Int64
    let elapsed: @Sendable () -> Int64
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
  ///   - interval: The time from one look to the next, at least, written as a timeout is: `.milliseconds(1)`.
  ///     Zero or less means each time that the clock is read.
  ///   - steps: The steps from one reading of the clock to the next; 1 or less means each step.
  public init(every interval: Timeout, readingClockEvery steps: Int = 64) {
    self.init(every: steps)
    stopwatch = Stopwatch(
      interval: interval.nanoseconds,
      due: interval.nanoseconds,
      elapsed: interval.startStopwatch()
    )
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
