/// What a caller asks of one bridged call, apart from the call itself.
@frozen
@usableFromInline
struct Terms {
  @usableFromInline let response: CancellationResponse
  @usableFromInline let deadline: Deadline?
  @usableFromInline let callSite: CallSite

  @inlinable
  init(
    _ response: CancellationResponse,
    _ timeout: Duration?,
    _ clock: () -> any Clock<Duration>,
    _ fileID: StaticString,
    _ line: UInt
  ) {
    self.response = response
    self.deadline = timeout.map { Deadline(after: $0, on: clock()) }
    self.callSite = CallSite(fileID: fileID, line: line)
  }

  /// What a wait throws that was interrupted.
  @usableFromInline
  func error(for cause: Interruption) -> any Error {
    guard cause == .timedOut, let deadline else { return CancellationError() }
    return TimeoutError(duration: deadline.timeout, callSite: callSite)
  }
}

/// The moment at which a call's time is up.
@usableFromInline
final class Deadline: Sendable {
  @usableFromInline let timeout: Duration
  private let sleep: @Sendable () async throws -> Void

  /// Some 35 000 years. Clocks overflow when they count much further.
  private static let longest = Duration.seconds(1 << 40)

  /// Begins to count.
  @usableFromInline
  init(after timeout: Duration, on clock: some Clock<Duration>) {
    self.timeout = timeout
    let end = clock.now.advanced(by: min(timeout, Deadline.longest))
    sleep = { try await clock.sleep(until: end, tolerance: nil) }
  }

  /// Interrupts a wait when the time is up, unless the returned task is cancelled before.
  ///
  /// Detached, so that it keeps nothing of the caller's alive, its task-local values included, if the
  /// clock is slow to notice that it is cancelled.
  @usableFromInline
  func interrupt(_ wait: Wait) -> Task<Void, Never> {
    Task.detached { [sleep] in
      // Cancelled, it comes to a wait that has ended, where it changes nothing.
      try? await sleep()
      wait.interrupt(.timedOut)
    }
  }
}
