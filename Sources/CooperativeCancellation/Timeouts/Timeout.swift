/// A length of time: how long a call may take, as `timeout:`, or an interval, a grace period or a
/// limit elsewhere.
///
/// ```swift
/// try await withAsyncThrowingValue(timeout: .seconds(5)) { completion in
///   sdk.loadPrices(completion)
/// } onCancel: { request in
///   request.cancel()
/// }
/// ```
///
/// The clock continues while the machine sleeps, as `ContinuousClock` does: a call may time out
/// when the machine wakes up, but never early. All calls share one timer, which holds on to nothing
/// from a call that has ended.
///
/// | length | what happens |
/// |---|---|
/// | zero, negative, not a number | the call times out at once; only a continuation calls the SDK |
/// | less than a nanosecond | rounded up to a nanosecond |
/// | 100 years or more, infinite | the call never times out |
public struct Timeout: Sendable {
  /// At most ``unlimited``, so that adding it to a time does not overflow.
  @usableFromInline package let nanoseconds: Int64
  private let clock: CustomClock?

  /// A hundred years, which clocks that count nanoseconds can represent.
  static let unlimited: Int64 = 100 * 365 * 24 * 3600 * 1_000_000_000

  @usableFromInline init(nanoseconds: Int64, clock: CustomClock? = nil) {
    self.nanoseconds = min(max(nanoseconds, -Timeout.unlimited), Timeout.unlimited)
    self.clock = clock
  }

  // Not generic, because the caller converts the integer, whose type it knows.
  @usableFromInline init(_ count: Int64, times unit: Int64) {
    let (product, overflows) = count.multipliedReportingOverflow(by: unit)
    self.init(nanoseconds: overflows ? (count < 0 ? .min : .max) : product)
  }

  /// A whole number of seconds.
  @_alwaysEmitIntoClient
  public static func seconds(_ seconds: some BinaryInteger) -> Timeout {
    Timeout(Int64(clamping: seconds), times: 1_000_000_000)
  }

  /// A number of seconds.
  public static func seconds(_ seconds: Double) -> Timeout {
    Timeout(nanoseconds: rounding(seconds * 1_000_000_000))
  }

  /// A whole number of milliseconds.
  @_alwaysEmitIntoClient
  public static func milliseconds(_ milliseconds: some BinaryInteger) -> Timeout {
    Timeout(Int64(clamping: milliseconds), times: 1_000_000)
  }

  /// Creates a timeout from a duration.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
  public init(_ duration: Duration) { self.init(nanoseconds: duration.nanosecondsRoundedUp) }

  /// Creates a timeout from a duration on your own clock, for example one that a test controls.
  ///
  /// For each call, a task with the caller's priority sleeps on the clock. The call times out when
  /// `sleep` returns or throws; `now` is read when the call begins, on the caller's actor. The
  /// sleep is cancelled when the call ends. With a duration of zero or less, or 100 years or more,
  /// the clock is not used.
  @available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
  @_alwaysEmitIntoClient
  public init(_ duration: Duration, clock: some Clock<Duration>) {
    let custom = CustomClock {
      let end = clock.now.advanced(by: duration)
      return { try await clock.sleep(until: end, tolerance: nil) }
    } startStopwatch: {
      let start = clock.now
      return { start.duration(to: clock.now).nanosecondsRoundedUp }
    }
    self.init(nanoseconds: duration.nanosecondsRoundedUp, clock: custom)
  }
}

extension Timeout: CustomStringConvertible {
  /// The length in words: `"5 seconds"`, `"1.5 seconds"`, `"250 milliseconds"`.
  public var description: String {
    if nanoseconds >= Timeout.unlimited { return "no limit" }
    let units: [(length: UInt64, name: String)] = [
      (1_000_000_000, "second"), (1_000_000, "millisecond"), (1_000, "microsecond"),
    ]
    let length = nanoseconds.magnitude
    let unit = length == 0 ? units[0] : units.first { length >= $0.length } ?? (1, "nanosecond")
    // As a floating-point number, which has the shortest digits.
    var number = "\(Double(length) / Double(unit.length))"
    if number.hasSuffix(".0") { number.removeLast(2) }
    return "\(nanoseconds < 0 ? "-" : "")\(number) \(unit.name)\(number == "1" ? "" : "s")"
  }
}

extension Timeout {
  /// Whether the call times out at once, without a look at the clock.
  @usableFromInline package var isOver: Bool { nanoseconds <= 0 }

  /// Starts counting. Returns the deadline, or `nil` if the call never times out.
  @usableFromInline package func begin() -> Deadline? {
    if nanoseconds >= Timeout.unlimited { return nil }
    // A timeout that is over needs no clock, because the library's own finds that at once.
    if let clock, !isOver { return .custom(sleep: clock.begin()) }
    return .at(.now.advanced(by: nanoseconds))
  }

  /// Starts counting. Returns a function that returns the elapsed nanoseconds.
  func startStopwatch() -> @Sendable () -> Int64 {
    if let clock { return clock.startStopwatch() }
    let start = Moment.now
    return { start.nanoseconds(to: .now) }
  }
}

/// The moment at which a call times out: what a timeout becomes when its call begins.
@usableFromInline package enum Deadline: Sendable {
  case at(Moment)
  /// A moment on the caller's clock, which sleeps until then.
  case custom(sleep: @Sendable () async throws -> Void)
}

/// The caller's clock without its type, because old systems have no `Clock`. A class, because a
/// waiting task stores its timeout, and a larger one would need more memory.
@usableFromInline final class CustomClock: Sendable {
  /// Starts counting. Returns a function that sleeps until the timeout is over.
  let begin: @Sendable () -> @Sendable () async throws -> Void
  /// Starts counting. Returns a function that returns the elapsed nanoseconds.
  let startStopwatch: @Sendable () -> @Sendable () -> Int64

  @usableFromInline init(
    begin: @escaping @Sendable () -> @Sendable () async throws -> Void,
    startStopwatch: @escaping @Sendable () -> @Sendable () -> Int64
  ) {
    self.begin = begin
    self.startStopwatch = startStopwatch
  }
}

private func rounding(_ nanoseconds: Double) -> Int64 {
  if nanoseconds.isNaN { return 0 }
  return Int64(exactly: nanoseconds.rounded(.up)) ?? (nanoseconds < 0 ? .min : .max)
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
extension Duration {
  /// At most ``Timeout/unlimited``, because the components of a long duration trap.
  @usableFromInline var nanosecondsRoundedUp: Int64 {
    let limited = min(max(self, .nanoseconds(-Timeout.unlimited)), .nanoseconds(Timeout.unlimited))
    let (seconds, attoseconds) = limited.components
    let (fraction, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * 1_000_000_000 + fraction + (rest > 0 ? 1 : 0)
  }
}
