/// A clock that sleeps as a test says, whatever the time. Its instants begin at zero.
struct OddClock: Clock {
  struct Instant: InstantProtocol {
    var offset: UInt64
    func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + UInt64(duration / .nanoseconds(1)))
    }
    func duration(to other: Instant) -> Duration { .nanoseconds(Int64(other.offset - offset)) }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  let sleeps: @Sendable () async throws -> Void

  var now: Instant { Instant(offset: 0) }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws { try await sleeps() }
}
