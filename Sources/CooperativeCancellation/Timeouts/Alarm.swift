// `-DNO_DISPATCH` tests the second branch on systems that have Dispatch.
#if canImport(Dispatch) && !NO_DISPATCH
  // `@preconcurrency`, because not every version of Dispatch says that its sources are `Sendable`,
  // and `@unsafe`, because the compiler then does not check that. Safe: a source may be used on any
  // thread, and whoever has an alarm sets it under a lock.
  @unsafe @preconcurrency private import Dispatch

  /// Rings each time that it is set, on its own thread, perhaps early or more than once.
  ///
  /// Uses two timers; the first one to fire counts. One counts the time that the machine is awake.
  /// The other uses the wall clock and is due when the machine wakes up. If the wall clock is set
  /// back, the first timer still fires.
  @usableFromInline struct Alarm: ~Copyable {
    private let awake = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
    private let calendar = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))

    @usableFromInline init(_ ring: @escaping @Sendable () -> Void) {
      for timer in [awake, calendar] {
        timer.setEventHandler(handler: ring)
        timer.activate()
      }
    }

    /// Replaces an earlier setting.
    @usableFromInline mutating func set(after nanoseconds: Int64) {
      let seconds = Double(nanoseconds) / 1_000_000_000
      awake.schedule(deadline: .now() + seconds)
      calendar.schedule(wallDeadline: .now() + seconds)
    }
  }

#else

  /// Rings each time that it is set, on its own thread, perhaps early or more than once.
  @usableFromInline package struct Alarm: ~Copyable {
    private let ring: @Sendable () -> Void
    package private(set) var countdown: Task<Void, Never>?

    @usableFromInline package init(_ ring: @escaping @Sendable () -> Void) { self.ring = ring }

    /// Replaces an earlier setting.
    @usableFromInline package mutating func set(after nanoseconds: Int64) {
      countdown?.cancel()
      countdown = Task.detached(priority: .high) { [ring] in
        // A cancelled countdown must not ring, because that would set the alarm again and cancel
        // the next countdown.
        if (try? await Task.sleep(nanoseconds: UInt64(max(0, nanoseconds)))) != nil { ring() }
      }
    }
  }

#endif
