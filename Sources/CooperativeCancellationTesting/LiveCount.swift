/// Counts what is live: open connections, values to close, objects in memory.
///
/// ```swift
/// init(_ open: LiveCount) {
///   self.open = open
///   open.increment()
/// }
///
/// func close() { open.decrement() }
/// ```
///
/// Passed to `checkWrapper` as `values:`, it shows which values a wrapper loses.
public final class LiveCount: Sendable {
  /// Counts as one while it is alive: as a property of an object or a capture, it shows when that
  /// is released.
  public final class Member: Sendable {
    private let liveCount: LiveCount

    /// Adds one to the count, until this object is released.
    public init(of liveCount: LiveCount) {
      self.liveCount = liveCount
      liveCount.increment()
    }

    deinit { liveCount.decrement() }
  }

  let current = Observed(0)

  /// Creates a count of zero.
  public init() {}

  /// The current number.
  public var count: Int { current.state }

  /// Adds one. May be called from any thread.
  public func increment() { current.change { $0 += 1 } }

  /// Removes one. May be called from any thread.
  public func decrement() { current.change { $0 -= 1 } }
}
