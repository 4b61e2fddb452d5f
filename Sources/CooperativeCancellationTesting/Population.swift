private import CooperativeCancellation

/// How many of something there are: connections that are open, values that live.
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
/// Given to `checkWrapper` as `values:`, it shows which values a wrapper loses.
public final class Population: Sendable {
  let size = Observed(0)

  /// None yet.
  public init() {}

  /// How many there are now.
  public var count: Int { size.state }

  /// There is one more. From any thread.
  public func grow() { size.change { $0 += 1 } }

  /// There is one less. From any thread.
  public func shrink() { size.change { $0 -= 1 } }
}

/// Counts in a ``Population`` while it is alive: a property of an object, or a capture of a closure, whose
/// release a test wants to see.
public final class Life: Sendable {
  private let population: Population

  /// Begins to count.
  public init(of population: Population) {
    self.population = population
    population.grow()
  }

  deinit {
    population.shrink()
  }
}
