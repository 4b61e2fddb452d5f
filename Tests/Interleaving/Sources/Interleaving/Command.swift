import CScheduler
import CooperativeCancellation
import Foundation

@main
struct Command {
  private static let usage = """
    usage: swift run -c release --package-path Tests/Interleaving Interleaving [NAME]... [OPTION]...

    Runs scenarios in all orders of their steps. NAME is that of a scenario, or its beginning; without one, all run.

      --bound N        how often a thread may be stopped although it could go on; 1, or more if there are few orders
      --schedules N    the most orders for each scenario; 20000
      --random N       how many random orders to add where there are more; 3000
      --seconds N      the most seconds for each scenario; no limit
      --replay "…"     runs one scenario in the order that a failure has printed, step by step
      --until-failure  ends with the first order that fails
      --verbose        also prints how often each outcome occurred
      --list           prints the names
    """

  private var limits = Search.Limits()
  private var names: [String] = []
  private var replay: [UInt8]?
  private var isVerbose = false
  private var lists = false
  /// Whether this is the process of a scenario that is wrong on purpose.
  private var isOfControl = false

  static func main() {
    // Otherwise, the order of a dictionary is another in each process, or depends on its address.
    if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
      setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
      execv("/proc/self/exe", CommandLine.unsafeArgv)
    }
    guard let command = Command(CommandLine.arguments.dropFirst()) else {
      print(usage)
      exit(64)
    }
    exit(command.run() ? 0 : 1)
  }

  private init?(_ arguments: some Sequence<String>) {
    var arguments = arguments.makeIterator()
    while let argument = arguments.next() {
      switch argument {
      case "--verbose": isVerbose = true
      case "--list": lists = true
      case "--until-failure": limits.endsAtFailure = true
      case "--control": isOfControl = true
      case "--replay":
        let numbers = arguments.next()?.split(separator: " ").map { UInt8($0) }
        guard let numbers, !numbers.contains(nil) else { return nil }
        replay = numbers.compactMap { $0 }
      case "--seconds":
        guard let seconds = arguments.next().flatMap(Double.init) else { return nil }
        limits.seconds = seconds
      case "--bound", "--schedules", "--random":
        guard let number = arguments.next().flatMap({ Int($0) }), number >= 0 else { return nil }
        switch argument {
        case "--bound": limits.preemptions = number
        case "--schedules": limits.schedules = number
        default: limits.randomSchedules = number
        }
      default:
        if argument.hasPrefix("-") { return nil }
        names.append(argument)
      }
    }
  }

  /// Returns whether nothing failed.
  private func run() -> Bool {
    let scenarios = Scenario.all.filter { scenario in
      names.isEmpty || names.contains { scenario.name.hasPrefix($0) }
    }
    if let name = names.first(where: { name in !scenarios.contains { $0.name.hasPrefix(name) } }) {
      print("error: no scenario is called “\(name)”; --list prints the names")
      return false
    }
    if lists {
      for scenario in scenarios { print(scenario.name) }
      return true
    }
    RuntimeIssue.handler = { Run.current.report($0) }
    scheduler_start()
    if let replay {
      guard let scenario = scenarios.first, scenarios.count == 1 || names == [scenario.name] else {
        print("error: --replay needs one scenario")
        return false
      }
      return run(scenario, replay)
    }
    return run(scenarios)
  }

  private func run(_ scenarios: [Scenario]) -> Bool {
    var schedules = 0
    var failed: [String] = []
    for scenario in scenarios where !limits.endsAtFailure || failed.isEmpty {
      if let fault = scenario.fault, !isOfControl {
        let isFound = Command.finds(fault, in: scenario)
        print(
          "\(isFound ? "✔" : "✘") \(scenario.name): \(isFound ? "found" : "not found"): \(fault)"
        )
        fflush(nil)
        if !isFound { failed.append(scenario.name) }
        continue
      }
      var search = Search(scenario, limits)
      let finding = search()
      schedules += finding.schedules
      let report = Report(scenario, finding, isVerbose: isVerbose)
      print(report.text)
      // A crash of the next scenario must not lose it.
      fflush(nil)
      if report.hasFailed { failed.append(scenario.name) }
      if finding.isStuck {
        print("error: the threads of this scenario are stuck, so the others were not run")
        return false
      }
    }
    print("\(scenarios.count) scenarios, \(schedules) schedules, \(failed.count) failed")
    return failed.isEmpty
  }

  /// Runs a scenario in its own process, because after a deadlock or a crash this one could not go
  /// on.
  private static func finds(_ fault: String, in scenario: Scenario) -> Bool {
    // Not Foundation's `Process`, which waits for a source of Dispatch: those are the scheduler's
    // here.
    let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    guard let program, let pipe = popen("'\(program)' '\(scenario.name)' --control", "r") else {
      return false
    }
    var output: [UInt8] = []
    while case let character = getc(pipe), character != EOF {
      output.append(UInt8(truncatingIfNeeded: character))
    }
    let status = pclose(pipe)
    // It ended by itself, with 1.
    return status == 1 << 8 && String(decoding: output, as: UTF8.self).contains(fault)
  }

  private func run(_ scenario: Scenario, _ choices: [UInt8]) -> Bool {
    scheduler_set_crash_text(scenario.name)
    _ = Search.warmUp(scenario)
    scheduler_set_stacks(true)
    let (run, schedule, outcome) = Search.run(scenario, choices)
    for line in schedule.lines(isVerbose: true) { print("  \(line)") }
    for line in run.log { print("  seen by \(line)") }
    print("outcome: \(outcome)")
    for failure in run.failures { print("✘ \(failure)") }
    return run.failures.isEmpty
  }
}
