/// What an SDK and its callers do, to be run in every order of their steps.
///
/// `CONTRIBUTING.md` shows one in ten lines.
struct Scenario: Sendable {
  let name: String
  /// In words, as ``Run`` puts them together. Each must occur, and no other may.
  let outcomes: Set<String>
  /// What the search must find, in a scenario that is wrong on purpose. It then runs in its own
  /// process.
  let fault: String?
  /// Makes the threads and tasks of one run. It runs before all of them, and without a point.
  let setUp: @Sendable (Run) -> Void

  init(
    _ name: String,
    outcomes: Set<String>,
    fault: String? = nil,
    _ setUp: @escaping @Sendable (Run) -> Void
  ) {
    self.name = name
    self.outcomes = outcomes
    self.fault = fault
    self.setUp = setUp
  }
}
