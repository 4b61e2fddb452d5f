import Synchronization

/// How many objects of one kind are alive.
public final class Population: Sendable {
  private let living = Atomic<Int>(0)

  public init() {}

  public var count: Int { living.load(ordering: .acquiring) }

  fileprivate func grow() { living.add(1, ordering: .relaxed) }
  fileprivate func shrink() { living.subtract(1, ordering: .releasing) }
}

/// What an object, or a closure, owns so that it counts while it is alive.
public final class Life: Sendable {
  private let population: Population

  public init(of population: Population) {
    self.population = population
    population.grow()
  }

  deinit {
    population.shrink()
  }
}
