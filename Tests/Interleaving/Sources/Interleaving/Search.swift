import CScheduler

/// Runs a scenario in all orders with few preemptions, and in random ones where these are too many.
struct Search {
  struct Limits {
    /// How often a thread may be stopped in each order although it could go on. In scenarios that
    /// have few orders, more often.
    var preemptions = 1
    /// So few orders.
    var few = 250
    /// The most orders to run one after another.
    var schedules = 20_000
    /// How many random ones to run in addition if there are more.
    var randomSchedules = 3_000
    /// For one scenario. By default, no limit, so that each search of the same code has the same
    /// counts.
    var seconds: Double?
    /// Whether one order that fails is enough.
    var endsAtFailure = false
  }

  struct Finding {
    /// How many orders were run.
    var schedules = 0
    /// How many preemptions all the orders have that were run; `nil` if not even those with the
    /// fewest are complete.
    var preemptions: Int?
    var outcomes: [String: Int] = [:]
    var failures: [String: Failure] = [:]
    /// Orders in which the choices did not decide what happened.
    var diverged = 0
    /// The scheduler cannot run anything else, because threads are stuck.
    var isStuck = false
    fileprivate(set) var longest = 0
  }

  struct Failure {
    var count = 0
    /// The shortest order that fails so.
    var schedule: Schedule
  }

  let scenario: Scenario
  let limits: Limits
  private var finding = Finding()
  private let clock = ContinuousClock()
  private let begin: ContinuousClock.Instant

  init(_ scenario: Scenario, _ limits: Limits) {
    self.scenario = scenario
    self.limits = limits
    begin = clock.now
  }

  // MARK: One order

  /// Runs one order: the given choices, and then that each thread goes on while it can.
  static func run(_ scenario: Scenario, _ choices: [UInt8]) -> (run: Run, Schedule, outcome: String)
  {
    let run = Run()
    Run.current = run
    let context = Unmanaged.passRetained(SetUp(scenario: scenario, run: run))
    let status = scheduler_run(
      choices,
      choices.count,
      { context in
        guard let context else { return }
        let setUp = Unmanaged<SetUp>.fromOpaque(context).takeRetainedValue()
        setUp.scenario.setUp(setUp.run)
      },
      context.toOpaque()
    )
    let schedule = Schedule(status)
    if let text = schedule.problem { run.fail(text) }
    return (run, schedule, schedule.isStuck ? "" : run.finish())
  }

  /// Runs the usual order a few times: globals and types are initialized when code runs for the
  /// first time, which is another order of steps. Returns `nil`, or the first run that cannot go
  /// on.
  static func warmUp(_ scenario: Scenario) -> (run: Run, Schedule, outcome: String)? {
    for _ in 0..<3 {
      let first = run(scenario, [])
      if first.1.isStuck { return first }
    }
    return nil
  }

  private final class SetUp {
    let scenario: Scenario
    let run: Run
    init(scenario: Scenario, run: Run) { (self.scenario, self.run) = (scenario, run) }
  }

  private mutating func runOne(_ choices: [UInt8]) -> Schedule {
    note(Search.run(scenario, choices))
  }

  private mutating func note(_ one: (run: Run, schedule: Schedule, outcome: String)) -> Schedule {
    let (run, schedule, outcome) = one
    finding.schedules += 1
    finding.longest = max(finding.longest, schedule.choices.count)
    finding.isStuck = schedule.isStuck
    if schedule.status == SCHEDULER_DIVERGED { finding.diverged += 1 }
    if !schedule.isStuck {
      finding.outcomes[outcome, default: 0] += 1
      if !scenario.outcomes.contains(outcome) { run.fail("an outcome that it must not have") }
    }
    for text in Set(run.failures) {
      var failure = finding.failures[text] ?? Failure(schedule: schedule)
      failure.count += 1
      if schedule.isShorter(than: failure.schedule) { failure.schedule = schedule }
      finding.failures[text] = failure
    }
    return schedule
  }

  // MARK: All orders

  mutating func callAsFunction() -> Finding {
    scheduler_set_crash_text(scenario.name)
    if let stuck = Search.warmUp(scenario) {
      _ = note(stuck)
      return finding
    }
    var preemptions = limits.preemptions
    while runAll(preemptions) {
      finding.preemptions = preemptions
      if finding.schedules >= limits.few || preemptions > limits.preemptions + 2 { break }
      preemptions += 1
    }
    if finding.preemptions == nil, !finding.isStuck { runRandom() }
    if !finding.isStuck, !hasFailed { checkForLeaks() }
    return finding
  }

  /// Depth first: the last choice that has an alternative is changed. Returns whether all orders
  /// were run.
  private mutating func runAll(_ preemptions: Int) -> Bool {
    var nodes: [Node] = []
    while finding.schedules < limits.schedules, !isLate, !hasFailed {
      let schedule = runOne(nodes.map(\.chosen))
      if finding.isStuck { return false }
      if schedule.status != SCHEDULER_DIVERGED {
        for choice in schedule.choices.dropFirst(nodes.count) {
          nodes.append(Node(choice, after: nodes.last))
        }
      }
      while let last = nodes.last, !last.hasAlternative(preemptions) { nodes.removeLast() }
      if nodes.isEmpty { return true }
      nodes[nodes.count - 1].chooseNext()
    }
    return false
  }

  private mutating func runRandom() {
    for seed in 0..<UInt32(limits.randomSchedules) where !isLate && !finding.isStuck && !hasFailed {
      scheduler_set_random(seed + 1, finding.longest)
      _ = runOne([])
    }
    scheduler_set_random(0, 0)
  }

  private var hasFailed: Bool { limits.endsAtFailure && !finding.failures.isEmpty }

  private var isLate: Bool {
    guard let seconds = limits.seconds else { return false }
    return clock.now - begin > .seconds(seconds)
  }

  /// A choice of the order that was run last.
  private struct Node {
    private let enabled: UInt32
    private let couldGoOn: UInt8?
    private let preemptionsBefore: Int
    private var tried: UInt32
    private(set) var chosen: UInt8

    init(_ choice: scheduler_choice, after last: Node?) {
      enabled = choice.enabled
      couldGoOn = choice.could_go_on ? UInt8(choice.stopped) : nil
      preemptionsBefore = last?.preemptions ?? 0
      tried = 1 << UInt32(choice.chosen)
      chosen = choice.chosen
    }

    var preemptions: Int {
      preemptionsBefore + (couldGoOn.map { $0 != chosen } ?? false ? 1 : 0)
    }

    func hasAlternative(_ mostPreemptions: Int) -> Bool {
      // All alternatives to going on are preemptions.
      if couldGoOn != nil, preemptionsBefore >= mostPreemptions { return false }
      return enabled & ~tried != 0
    }

    mutating func chooseNext() {
      chosen = UInt8((enabled & ~tried).trailingZeroBitCount)
      tried |= 1 << UInt32(chosen)
    }
  }

  // MARK: What is left behind

  /// Runs the same order many times, and that several times: what it leaves behind adds up in each
  /// of them. Fewer bytes than one object in each run are caches.
  private mutating func checkForLeaks() {
    let count = 64
    let leaks =
      (0..<4).map { _ in
        let before = scheduler_bytes_in_use()
        for _ in 0..<count { _ = Search.run(scenario, []) }
        return scheduler_bytes_in_use() - before
      }.min() ?? 0
    if leaks >= 16 * count {
      let schedule = Search.run(scenario, []).1
      finding.failures["\(leaks / count) bytes are never freed"] = Failure(
        count: 1,
        schedule: schedule
      )
    }
  }
}
