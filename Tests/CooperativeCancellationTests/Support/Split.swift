/// How often each outcome of a race has occurred.
///
/// A race is repeated until each has occurred often enough. The watchdog reports one that never
/// does.
struct Split<Outcome: Hashable & Sendable>: Sendable, CustomStringConvertible {
  private(set) var rounds = 0
  private let outcomes: Set<Outcome>
  private var counts: [Outcome: Int] = [:]

  /// - Parameter outcomes: Those that must occur.
  init(of outcomes: some Sequence<Outcome>) { self.outcomes = Set(outcomes) }

  subscript(outcome: Outcome) -> Int {
    get { counts[outcome, default: 0] }
    set { counts[outcome] = newValue }
  }

  var description: String {
    let counts = counts.sorted { $0.value > $1.value }.map { "\($0.value) \($0.key)" }
    return "\(rounds) rounds: \(counts.joined(separator: ", "))"
  }

  /// Begins another round, unless there were `rounds` and each outcome has occurred that often.
  mutating func goesOn(for rounds: Int, often: Int = 20) -> Bool {
    if self.rounds >= rounds, outcomes.allSatisfy({ self[$0] >= often }) { return false }
    self.rounds += 1
    return true
  }
}
