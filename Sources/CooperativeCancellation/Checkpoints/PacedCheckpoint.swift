/// A checkpoint for hot loops, which checks for cancellation only at intervals.
///
/// ```swift
/// var pace = PacedCheckpoint(every: 1_000)
/// for number in numbers {
///   sum += number
///   try pace.checkpoint()
/// }
/// ```
///
/// A step without a check costs a subtraction and a comparison.
public struct PacedCheckpoint: Sendable {
  @usableFromInline let stride: Int
  @usableFromInline var stepsLeft: Int
  private var stopwatch: (interval: Timeout, elapsed: @Sendable () -> Int64)?

  /// Checks at every nth step, starting with the nth. With 1 or less, every step checks.
  public init(every steps: Int) {
    stride = max(1, steps)
    stepsLeft = stride
  }

  /// Checks at most once in each interval of time, such as `.milliseconds(1)`.
  ///
  /// Reading a clock takes longer than a short step, so the clock is read only at every nth step;
  /// with 1 or less, at every step. With an interval of zero or less, every reading checks.
  public init(every interval: Timeout, readingClockEvery steps: Int = 64) {
    self.init(every: steps)
    stopwatch = (interval, interval.startStopwatch())
  }

  /// If a check is due, throws `CancellationError` if the current task is cancelled.
  @_alwaysEmitIntoClient
  public mutating func checkpoint(
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws(CancellationError) {
    stepsLeft &-= 1
    if stepsLeft <= 0, isDue() {
      try CooperativeCancellation.checkpoint(fileID: fileID, line: line)
    }
  }

  /// If a check is due, lets other tasks run, then throws `CancellationError` if the current task
  /// is cancelled.
  @_alwaysEmitIntoClient
  nonisolated(nonsending) public mutating func yieldingCheckpoint() async throws(CancellationError)
  {
    stepsLeft &-= 1
    if stepsLeft <= 0, isDue() {
      try await CooperativeCancellation.yieldingCheckpoint()
    }
  }

  /// Begins the next round of steps, and returns whether a check is due.
  @usableFromInline mutating func isDue() -> Bool {
    stepsLeft = stride
    guard let (interval, elapsed) = stopwatch else { return true }
    guard elapsed() >= interval.nanoseconds else { return false }
    stopwatch = (interval, interval.startStopwatch())
    return true
  }
}
