#if canImport(Darwin)
  private import Darwin
#elseif canImport(Glibc)
  private import Glibc
#endif

/// A time on the clock of `ContinuousClock`, which runs while the machine sleeps, and which old
/// systems do not have.
@usableFromInline package struct Moment: Sendable, Comparable {
  private let nanoseconds: Int64

  @usableFromInline package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @usableFromInline package static func < (left: Moment, right: Moment) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  @usableFromInline package func advanced(by nanoseconds: Int64) -> Moment {
    Moment(nanoseconds: self.nanoseconds + nanoseconds)
  }

  @usableFromInline
  package func nanoseconds(to other: Moment) -> Int64 { other.nanoseconds - nanoseconds }

  #if canImport(Darwin)
    @usableFromInline package static var now: Moment {
      Moment(nanoseconds: Int64(clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)))
    }
  #elseif canImport(Glibc)
    // What `ContinuousClock` reads. Dividing its 128-bit durations takes longer. Safe: C only fills
    // the local.
    @usableFromInline package static var now: Moment {
      var time = timespec()
      unsafe clock_gettime(CLOCK_BOOTTIME, &time)
      return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
  #else
    private static let start = ContinuousClock.now

    @usableFromInline package static var now: Moment {
      let (seconds, attoseconds) = start.duration(to: .now).components
      return Moment(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
  #endif
}
