#if canImport(Dispatch)
  @preconcurrency private import Dispatch

  /// Rings once each time that it is set, on a thread of its own; perhaps more often, perhaps early.
  ///
  /// Two timers, whichever comes first. The one counts the time that the machine is awake, the other goes by the
  /// calendar: it is there when the machine wakes up, the first one if somebody sets back the calendar.
  struct Alarm: ~Copyable {
    private let awake = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))
    private let calendar = DispatchSource.makeTimerSource(queue: .global(qos: .userInitiated))

    init(_ ring: @escaping @Sendable () -> Void) {
      for timer in [awake, calendar] {
        timer.setEventHandler(handler: ring)
        timer.activate()
      }
    }

    /// Replaces an earlier setting.
    mutating func set(after nanoseconds: Int64) {
      let seconds = Double(nanoseconds) / 1_000_000_000
      awake.schedule(deadline: .now() + seconds)
      calendar.schedule(wallDeadline: .now() + seconds)
    }
  }

#else

  /// Rings once each time that it is set, on a thread of its own; perhaps more often, perhaps early.
  struct Alarm: ~Copyable {
    private let ring: @Sendable () -> Void
    private var sleeper: Task<Void, Never>?

    init(_ ring: @escaping @Sendable () -> Void) {
      self.ring = ring
    }

    /// Replaces an earlier setting.
    mutating func set(after nanoseconds: Int64) {
      sleeper?.cancel()
      sleeper = Task.detached(priority: .high) { [ring] in
        try? await Task.sleep(nanoseconds: UInt64(max(0, nanoseconds)))
        ring()
      }
    }
  }

#endif
