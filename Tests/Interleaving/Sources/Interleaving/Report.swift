import CScheduler

/// What a search found, in words: a line, and for each failure the shortest order that fails so.
struct Report {
  let text: String
  let hasFailed: Bool

  init(_ scenario: Scenario, _ finding: Search.Finding, isVerbose: Bool) {
    let missing = scenario.outcomes.subtracting(finding.outcomes.keys)
    hasFailed = !finding.failures.isEmpty || !missing.isEmpty
    var lines = [
      "\(hasFailed ? "✘" : "✔") \(scenario.name): \(finding.schedules) schedules, "
        + (finding.preemptions.map { "all with \($0) preemptions" } ?? "cut off")
        + ", \(finding.outcomes.count) outcomes"
        + (finding.diverged > 0 ? ", \(finding.diverged) diverged" : "")
    ]
    if isVerbose || !missing.isEmpty {
      lines += finding.outcomes.sorted { $0.key < $1.key }.map { "    \($0.value) × \($0.key)" }
    }
    lines += missing.sorted().map { "  ✘ no schedule had the outcome “\($0)”" }
    for (text, failure) in finding.failures.sorted(by: { $0.key < $1.key }) {
      lines.append("  ✘ \(text): in \(failure.count) of \(finding.schedules) schedules")
      lines += Report.words(for: failure.schedule, of: scenario, isStuck: finding.isStuck)
    }
    self.text = lines.joined(separator: "\n")
  }

  /// Runs the order again, to keep the callers of what is preempted, and what the scenario saw.
  private static func words(
    for schedule: Schedule,
    of scenario: Scenario,
    isStuck: Bool
  ) -> [String] {
    var lines = schedule.lines()
    if !isStuck {
      scheduler_set_stacks(true)
      defer { scheduler_set_stacks(false) }
      let (run, again, outcome) = Search.run(scenario, schedule.choices.map(\.chosen))
      lines = again.lines() + run.log.map { "seen by \($0)" } + ["outcome: \(outcome)"]
    }
    let count = schedule.preemptions
    return ["    the shortest has \(count) preemption\(count == 1 ? "" : "s"):"]
      + lines.map { "      \($0)" }
      + ["    again: Interleaving \"\(scenario.name)\" --replay \"\(schedule.replay)\""]
  }
}
