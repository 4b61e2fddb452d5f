private import CooperativeCancellation

/// Counts things that exist, such as open connections or live values.
///
/// ```swift
/// final class FakeDoor: Door {
///   private let open: Population
///
///   init(_ open: Population) {
///     self.open = open
///     open.grow()
///   }
///
///   func close() { open.shrink() }
/// }
/// ```
///
/// Passed to `checkWrapper` as `values:`, it shows which values a wrapper loses.
public final class Population: Sendable {
  let size = Observed(0)

  /// Creates an empty population.
  public init() {}

  /// The current number.
  public var count: Int { size.state }

  /// Adds one. May be called from any thread.
  public func grow() { size.change { $0 += 1 } }

  /// Removes one. May be called from any thread.
  public func shrink() { size.change { $0 -= 1 } }
}

/// Counts as one in a ``Population`` while it is alive. Make it a property of an object, or capture it in a closure, to
/// test whether that is released.
public final class Life: Sendable {
  private let population: Population

  /// Starts counting.
  public init(of population: Population) {
    self.population = population
    population.grow()
  }

  deinit {
    population.shrink()
  }
}
