import CooperativeCancellation
import PendingAnswers

extension Scenario {
  /// A shared call is at least as urgent as each of its callers, and an abandonable task as its one
  /// caller. The calls of these scenarios end only when they are urgent: if a priority is lost,
  /// their callers wait forever.
  static let sharedPriorities = [raisedCaller, urgentCaller, raisedAbandonable]

  private static let raisedCaller = Scenario(
    "shared call, priority: its only caller is raised",
    outcomes: ["raised"]
  ) { run in
    let calls = SharedCalls<Int, Void>()
    let caller = run.task("caller") {
      try? await calls.value(for: 1) { await waitUntilUrgent(Gate()) }
      run.saw("raised")
    }
    run.thread("raiser") { caller.escalatePriority(to: urgent) }
  }

  private static let urgentCaller = Scenario(
    "shared call, priority: a second caller is urgent",
    outcomes: ["shared", "not shared"]
  ) { run in
    let (calls, mayEnd) = (SharedCalls<Int, Void>(), Gate())
    let callCount = Shared(0)
    @Sendable func call() async {
      try? await calls.value(for: 1) {
        callCount.value += 1
        await waitUntilUrgent(mayEnd)
      }
    }
    run.task("caller") { await call() }
    run.task("urgent caller") {
      withUnsafeCurrentTask { $0?.escalatePriority(to: urgent) }
      await call()
      // The other caller may make a call of its own.
      mayEnd.open()
    }
    run.atEnd { run.saw(callCount.value == 1 ? "shared" : "not shared") }
  }

  private static let raisedAbandonable = Scenario(
    "abandonable task, priority: its caller is raised",
    outcomes: ["raised"]
  ) { run in
    let caller = run.task("caller") {
      try? await withAbandonableTask { await waitUntilUrgent(Gate()) }
      run.saw("raised")
    }
    run.thread("raiser") { caller.escalatePriority(to: urgent) }
  }

  /// Higher than the default on Linux, which is that of `high`.
  private static let urgent = TaskPriority(rawValue: TaskPriority.high.rawValue + 8)

  private static func waitUntilUrgent(_ gate: Gate) async {
    await withTaskPriorityEscalationHandler {
      if Task.currentPriority < urgent { await gate.pass() }
    } onPriorityEscalated: { _, priority in
      if priority >= urgent { gate.open() }
    }
  }

  /// Lets one task pass, when it is open.
  private final class Gate: @unchecked Sendable {
    private var isOpen = false
    private var waiting: CheckedContinuation<Void, Never>?

    func pass() async {
      if isOpen { return }
      await withCheckedContinuation { waiting = $0 }
    }

    func open() {
      isOpen = true
      waiting.take()?.resume()
    }
  }
}
