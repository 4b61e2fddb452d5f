import CScheduler
import CooperativeCancellation

/// One run of a scenario: makes its threads and tasks, and collects what they see.
///
/// `@unchecked Sendable`, like the other classes that scenarios use: the scheduler lets one thread
/// run at a time, and only exchanges it at a point, so nothing here needs a lock.
final class Run: @unchecked Sendable {
  /// For what has no other way to its run, such as the handler of reports.
  nonisolated(unsafe) static var current = Run()

  private(set) var failures: [String] = []
  /// What happened, in order.
  private(set) var log: [String] = []
  /// What the library reported.
  private(set) var reports: [RuntimeIssue.Kind] = []
  /// How many ``Tracked`` values live.
  fileprivate(set) var valueCount = 0
  /// The names of released values, with the entities that released them.
  fileprivate(set) var releases: [(value: String, entity: String)] = []
  private var words: [String] = []
  private var checks: [() -> Void] = []

  // MARK: What runs

  /// Makes a thread, such as one of the SDK.
  func thread(_ name: String, _ body: @escaping @Sendable () -> Void) {
    mustNotHoldLocks("the library called the code that makes the thread \(name)")
    let body = Unmanaged.passRetained(Body(run: body))
    name.withCString { name in
      scheduler_thread(
        name,
        { body in body.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() } },
        body.toOpaque()
      )
    }
  }

  /// Makes a task, which must end.
  @discardableResult
  func task(
    _ name: String,
    @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async -> Void
  ) -> Task<Void, Never> {
    let hasEnded = Shared(false)
    atEnd { [self] in
      if !hasEnded.value { fail("\(name) never ended") }
    }
    return name.withCString { name in
      scheduler_name_next_task(name)
      return Task {
        await body()
        hasEnded.value = true
      }
    }
  }

  /// A point of the scenario's own, at which another entity may go on.
  func step(_ name: StaticString) {
    name.withUTF8Buffer { name in
      name.withMemoryRebound(to: CChar.self) { scheduler_step($0.baseAddress) }
    }
  }

  /// Time passes although no timer rings.
  func passTime(seconds: Int) { scheduler_pass_time(Int64(seconds) * 1_000_000_000) }

  /// For an alarm that sets itself again each time that it rings. The fewer, the fewer orders.
  func setMostRings(_ count: Int) { scheduler_set_most_rings(Int32(count)) }

  // MARK: What is checked

  /// Adds a word to the outcome of this run.
  func saw(_ word: String) { words.append(word) }

  func fail(_ text: String) { failures.append(text) }

  func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
    if !condition { fail(text()) }
  }

  /// Runs when everything has ended, in the order in which it was added.
  func atEnd(_ check: @escaping () -> Void) { checks.append(check) }

  /// The library called the user's code, or released the user's value: nothing may be locked.
  func userCode(_ name: String) {
    log.append("\(Run.entity): \(name)")
    mustNotHoldLocks(name)
  }

  func report(_ issue: RuntimeIssue) {
    userCode("report of \(issue.kind)")
    reports.append(issue.kind)
  }

  private func mustNotHoldLocks(_ name: String) {
    if scheduler_held_locks(false) > 0 { fail("\(name) under a lock of the library") }
    if scheduler_held_locks(true) > 0 { fail("\(name) under a lock of the runtime") }
  }

  /// The thread or task that runs.
  static var entity: String {
    let entity = scheduler_current()
    return entity < 0 ? "the end" : String(cString: scheduler_name(entity))
  }

  // MARK: The end of the run

  /// Everything has ended. Returns the outcome.
  func finish() -> String {
    if scheduler_wake_ups_under_lock() > 0 { fail("a task was woken under a lock of the library") }
    // What they keep is released here, and must have been the last of it.
    do {
      var checks: [() -> Void] = []
      swap(&checks, &self.checks)
      for check in checks { check() }
    }
    while scheduler_drain() > 0 {}
    expect(valueCount == 0, "\(valueCount) values are never released")
    words += reports.map { "report of \($0)" }
    return words.joined(separator: ", ")
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

/// A variable that several threads of a scenario use.
final class Shared<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// A value that must be delivered or discarded. It notes which thread releases it last.
final class Tracked: Sendable {
  let name: String
  private let run: Run

  init(_ name: String, in run: Run) {
    self.name = name
    self.run = run
    run.valueCount += 1
  }

  deinit {
    run.valueCount -= 1
    run.userCode("release of \(name)")
    run.releases.append((name, Run.entity))
  }
}

/// A value that is not `Sendable`: it crosses to the task as `sending`, and only the task may still
/// have it then.
final class Packet {
  let tracked: Tracked
  init(_ name: String, in run: Run) { tracked = Tracked(name, in: run) }
  init(_ tracked: Tracked) { self.tracked = tracked }
}
