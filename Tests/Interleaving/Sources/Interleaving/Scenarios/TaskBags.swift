import CooperativeCancellation
import TaskBags

extension Scenario {
  static let bags =
    [release(.cancelOnRelease), release([]), releaseAndCancellation]
    + TaskBag.TakenIDPolicy.allCases.map(addAndCancellation)
    + TaskBag.TakenIDPolicy.allCases.map(addAndAdd)
    + [chainAndCancellation, chainAndAdd, chainAndRelease]
    + [addAndCancelAll, addAndRelease, addAndClose]
    + [waitForAllAndAdd, waitForAllAndCancellation, errorBeforeEnd, replacedErrorHandler]
    + [drainWithGracePeriod, drainAndCancellation, drainAndCancelAll, drainAtOnce]
    + [.replace, .keep, .runAlongside].map(storeAndAdd)
    + [storeAndRelease, onMainActor, orderOnMainActor, errorOnMainActor]

  // MARK: One task

  private static func release(_ options: AnyTask.Options) -> Scenario {
    let cancels = options.contains(.cancelOnRelease)
    return Scenario(
      "any task, \(cancels ? "cancelOnRelease" : "no options"): end, release",
      outcomes: cancels ? ["task ran", "task cancelled"] : ["task ran"]
    ) { run in
      let task = Tasks(in: run).begin("task", sleeps: true)
      let owner = Shared<AnyTask?>(task.erased(options: options))
      run.thread("owner") { owner.value = nil }
    }
  }

  private static let releaseAndCancellation = Scenario(
    "any task: end, release, cancellation",
    outcomes: ["task ran", "task cancelled"]
  ) { run in
    let task = Tasks(in: run).begin("task", sleeps: true)
    let owner = Shared<AnyTask?>(task.erased())
    run.thread("owner") { owner.value = nil }
    run.thread("canceller") { owner.value?.cancel() }
  }

  // MARK: A taken id

  /// An old task runs when a new one is added, and the id is cancelled.
  private static func addAndCancellation(_ policy: TaskBag.TakenIDPolicy) -> Scenario {
    var outcomes: Set = ["new ran, old ran", "new ran, old cancelled", "new cancelled, old ran"]
    switch policy {
    case .replace:
      outcomes.formUnion(["new cancelled, old cancelled", "new never, old cancelled"])
      // The old one ended by itself, after the new one had begun to wait for it and was cancelled.
      outcomes.insert("new never, old ran")
    case .replaceAtOnce, .runAlongside:
      outcomes.insert("new cancelled, old cancelled")
    case .keep:
      outcomes.formUnion(["new refused, old ran", "new refused, old cancelled"])
    @unknown default: fatalError("a new case needs outcomes of its own")
    }
    return Scenario("bag, \(policy): add, cancellation, end", outcomes: outcomes) { run in
      let tasks = Tasks(in: run, mayOverlap: policy == .replaceAtOnce || policy == .runAlongside)
      tasks.add("old", ifTaken: policy, sleeps: policy == .replace)
      run.thread("adder") { tasks.add("new", ifTaken: policy) }
      run.thread("canceller") { tasks.cancel() }
    }
  }

  private static func addAndAdd(_ policy: TaskBag.TakenIDPolicy) -> Scenario {
    let others: Set<String> =
      switch policy {
      case .replace, .replaceAtOnce: ["a cancelled, b ran", "a ran, b cancelled"]
      case .keep: ["a refused, b ran", "a ran, b refused"]
      case .runAlongside: []
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return Scenario(
      "bag, \(policy): add, add, end",
      outcomes: others.union(["a ran, b ran"])
    ) { run in
      let tasks = Tasks(in: run, mayOverlap: policy == .replaceAtOnce || policy == .runAlongside)
      run.thread("adder") { tasks.add("a", ifTaken: policy) }
      run.thread("other adder") { tasks.add("b", ifTaken: policy) }
    }
  }

  /// The second task waits for the first, and both are cancelled.
  private static let chainAndCancellation = Scenario(
    "bag, chain: end, cancellation",
    outcomes: [
      // It was the old task of the second one, which has replaced it.
      "first cancelled, second ran", "first cancelled, second cancelled",
      "first cancelled, second never",
    ]
  ) { run in
    let tasks = Tasks(in: run)
    tasks.add("first", ifTaken: .replace, sleeps: true)
    tasks.add("second", ifTaken: .replace)
    run.thread("canceller") { tasks.cancel() }
  }

  /// The second task waits for the first when the third replaces it.
  private static let chainAndAdd = Scenario(
    "bag, chain: end, add",
    outcomes: [
      "first cancelled, second ran, third ran", "first cancelled, second cancelled, third ran",
      "first cancelled, second never, third ran",
    ]
  ) { run in
    let tasks = Tasks(in: run)
    tasks.add("first", ifTaken: .replace)
    tasks.add("second", ifTaken: .replace)
    run.thread("adder") { tasks.add("third", ifTaken: .replace) }
  }

  private static let chainAndRelease = Scenario(
    "bag, chain: end, release",
    outcomes: [
      "first cancelled, second ran", "first cancelled, second cancelled",
      "first cancelled, second never",
    ]
  ) { run in
    let tasks = Tasks(in: run)
    tasks.add("first", ifTaken: .replace, sleeps: true)
    tasks.add("second", ifTaken: .replace)
    run.thread("owner") { tasks.release() }
  }

  // MARK: All tasks

  private static let addAndCancelAll = Scenario(
    "bag: add, end, cancelAll",
    outcomes: [
      "new ran, old ran", "new ran, old cancelled", "new cancelled, old ran",
      "new cancelled, old cancelled",
    ]
  ) { run in
    let tasks = Tasks(in: run, mayOverlap: true)
    tasks.add("old", ifTaken: nil, sleeps: true)
    run.thread("adder") { tasks.add("new", ifTaken: nil) }
    run.thread("canceller") { tasks.cancelAll() }
  }

  private static let addAndRelease = Scenario(
    "bag: add, end, release",
    outcomes: ["new ran", "new cancelled", "new refused"]
  ) { run in
    let tasks = Tasks(in: run, mayOverlap: true)
    run.thread("adder") { tasks.add("new", ifTaken: nil, sleeps: true) }
    run.thread("owner") { tasks.release() }
  }

  private static let addAndClose = Scenario(
    "bag: add, close",
    outcomes: ["task ran", "task refused"]
  ) { run in
    let tasks = Tasks(in: run)
    run.thread("adder") { tasks.add("task", ifTaken: .replace, sleeps: true) }
    run.thread("owner") { tasks.close() }
  }

  // MARK: Waiting for all

  private static let waitForAllAndAdd = Scenario(
    "bag, waitForAll: end, add",
    outcomes: ["new ran, old ran"]
  ) { run in
    let tasks = Tasks(in: run, mayOverlap: true)
    tasks.add("old", ifTaken: nil)
    run.task("waiter") { try? await tasks.waitForAll() }
    run.thread("adder") { tasks.add("new", ifTaken: nil) }
  }

  private static let waitForAllAndCancellation = Scenario(
    "bag, waitForAll: end, cancellation",
    outcomes: ["waited, task ran", "cancelled, task ran"]
  ) { run in
    let tasks = Tasks(in: run)
    tasks.add("task", ifTaken: nil)
    let waiter = run.task("waiter") {
      do {
        try await tasks.waitForAll()
        run.saw("waited")
      } catch {
        run.saw(Call.word(for: .failure(error)))
      }
    }
    run.thread("canceller") { waiter.cancel() }
  }

  private static let errorBeforeEnd = Scenario(
    "bag, waitForAll: error",
    outcomes: ["error"]
  ) { run in
    let isReported = Shared(false)
    let bag = TaskBag { error, _ in
      run.userCode("onError")
      run.step("in onError")
      run.saw(Call.word(for: .failure(error)))
      isReported.value = true
    }
    bag.add { throw SDKError() }
    run.task("waiter") {
      try? await bag.waitForAll()
      run.expect(isReported.value, "the task counts as ended before its error was reported")
    }
    run.thread("observer") {
      run.expect(bag.count == 1 || isReported.value, "removed before its error was reported")
    }
  }

  /// The handler that is replaced is released, and not under a lock.
  private static let replacedErrorHandler = Scenario(
    "bag: error, onError is replaced",
    outcomes: ["old", "new"]
  ) { run in
    let bag = TaskBag { [handler = Tracked("old", in: run)] _, _ in run.saw(handler.name) }
    bag.add { throw SDKError() }
    run.thread("owner") { bag.onError = { _, _ in run.saw("new") } }
  }

  private static let drainWithGracePeriod = Scenario(
    "bag, drain: end, grace period",
    outcomes: ["task ran", "task cancelled"]
  ) { run in
    let tasks = Tasks(in: run)
    tasks.add("task", ifTaken: nil, sleeps: true)
    run.task("drainer") { await tasks.drain(.seconds(5)) }
  }

  /// The cancellation of the task that drains has no effect. The grace period never ends.
  private static let drainAndCancellation = Scenario(
    "bag, drain: end, cancellation",
    outcomes: ["task ran"]
  ) { run in
    let tasks = Tasks(in: run)
    tasks.add("task", ifTaken: nil)
    let drainer = run.task("drainer") { await tasks.drain(.seconds(Int64.max)) }
    run.thread("canceller") { drainer.cancel() }
  }

  private static let drainAndCancelAll = Scenario(
    "bag, drain: grace period, cancelAll",
    outcomes: ["task ran", "task cancelled"]
  ) { run in
    let tasks = Tasks(in: run)
    tasks.add("task", ifTaken: nil)
    run.task("drainer") { await tasks.drain(.seconds(5)) }
    run.thread("canceller") { tasks.cancelAll() }
  }

  private static let drainAtOnce = Scenario(
    "bag, drain at once: add",
    outcomes: [
      "new ran, old ran", "new ran, old cancelled", "new cancelled, old ran",
      "new cancelled, old cancelled", "new refused, old ran", "new refused, old cancelled",
    ]
  ) { run in
    let tasks = Tasks(in: run, mayOverlap: true)
    tasks.add("old", ifTaken: nil)
    run.task("drainer") { await tasks.drain(.seconds(0)) }
    run.thread("adder") { tasks.add("new", ifTaken: nil) }
  }

  // MARK: Stored tasks

  /// A task that runs is stored while another one is added with its id.
  private static func storeAndAdd(_ policy: TaskBag.TakenIDPolicy) -> Scenario {
    let outcomes: Set<String> =
      switch policy {
      case .replace, .replaceAtOnce: ["added ran, stored ran", "added cancelled, stored ran"]
      case .keep: ["added ran, stored ran", "added ran, stored cancelled"]
      case .runAlongside: ["added ran, stored ran"]
      @unknown default: fatalError("a new case needs outcomes of its own")
      }
    return Scenario("bag, store, \(policy): end, add", outcomes: outcomes) { run in
      let tasks = Tasks(in: run, mayOverlap: true)
      let task = tasks.begin("stored")
      run.thread("storer") { tasks.store(task, "stored", ifTaken: policy) }
      run.thread("adder") { tasks.add("added", ifTaken: .runAlongside) }
    }
  }

  private static let storeAndRelease = Scenario(
    "bag, store: end, release",
    outcomes: ["stored ran", "stored cancelled"]
  ) { run in
    let tasks = Tasks(in: run)
    let task = tasks.begin("stored", sleeps: true)
    run.thread("storer") { tasks.store(task, "stored", ifTaken: .replace) }
    run.thread("owner") { tasks.release() }
  }

  // MARK: On an actor

  private static let onMainActor = Scenario(
    "bag, main: add, add, end",
    outcomes: ["new ran, old cancelled"]
  ) { run in
    let tasks = Tasks(in: run, onMainActor: true)
    run.task("screen") { @MainActor in
      tasks.add("old", ifTaken: .replace)
      tasks.add("new", ifTaken: .replace)
    }
  }

  /// Whatever happens elsewhere, tasks begin in the order in which they were added.
  private static let orderOnMainActor = Scenario(
    "bag, main: add, add, cancelAll",
    outcomes: ["first, second"]
  ) { run in
    let bag = TaskBag()
    run.task("screen") { @MainActor in
      for name in ["first", "second"] {
        bag.add {
          MainActor.preconditionIsolated()
          run.saw(name)
        }
      }
    }
    run.thread("canceller") { bag.cancelAll() }
  }

  private static let errorOnMainActor = Scenario(
    "bag, main: error, cancelAll",
    outcomes: ["error", ""]
  ) { run in
    let bag = TaskBag { error, _ in
      MainActor.preconditionIsolated()
      run.userCode("onError")
      run.saw(Call.word(for: .failure(error)))
    }
    run.task("screen") { @MainActor in
      bag.add {
        run.step("in the task")
        // The error of a cancelled task is not reported.
        try Task.checkCancellation()
        throw SDKError()
      }
    }
    run.thread("canceller") { bag.cancelAll() }
  }
}

/// The tasks of one bag, with the checks that hold for every task.
///
/// Its outcome is what became of each: "old cancelled, new ran".
private final class Tasks: @unchecked Sendable {
  private let run: Run
  /// Whether tasks with one id may run at the same time.
  private let mayOverlap: Bool
  private let isOnMainActor: Bool
  private var bag: TaskBag? = TaskBag()
  private var isClosed = false
  private var names: [String] = []
  private var words: [String: String] = [:]
  private var running: Set<String> = []
  /// Those that the bag has, from the return of `add` to the end of the task.
  private var known: Set<String> = []
  /// How many threads cancel now. Each cancels what no other one has begun to cancel.
  private var cancellers = 0
  private var mustBeCancelled: Set<String> = []
  private var mustNotBegin: Set<String> = []

  init(in run: Run, mayOverlap: Bool = false, onMainActor isOnMainActor: Bool = false) {
    (self.run, self.mayOverlap, self.isOnMainActor) = (run, mayOverlap, isOnMainActor)
    run.atEnd { [self] in
      run.expect(bag?.count ?? 0 == 0, "\(bag?.count ?? 0) tasks are left in the bag")
      bag = nil
      for name in names.sorted() { run.saw("\(name) \(words[name] ?? "never")") }
    }
  }

  // MARK: A task

  /// Makes a task that is not in the bag.
  func begin(_ name: String, sleeps: Bool = false) -> Task<Void, Never> {
    names.append(name)
    return run.task(name, operation(name, sleeps: sleeps))
  }

  private func operation(
    _ name: String,
    sleeps: Bool
  ) -> @isolated(any) @Sendable () async -> Void {
    // It must be released, and not under a lock.
    let capture = Tracked("\(name)'s capture", in: run)
    if isOnMainActor {
      return { @MainActor in
        MainActor.preconditionIsolated()
        await self.runs(name, sleeps: sleeps)
        MainActor.preconditionIsolated()
        withExtendedLifetime(capture) {}
      }
    }
    return {
      await self.runs(name, sleeps: sleeps)
      withExtendedLifetime(capture) {}
    }
  }

  private nonisolated(nonsending) func runs(_ name: String, sleeps: Bool) async {
    begins(name)
    if sleeps { await sleep() } else { run.step("in the task") }
    ends(name)
  }

  /// Sleeps until an SDK's thread or a cancellation wakes the task, which must not happen under a
  /// lock.
  private nonisolated(nonsending) func sleep() async {
    let sleeper = Shared<CheckedContinuation<Void, Never>?>(nil)
    let isAwake = Shared(false)
    let wake: @Sendable () -> Void = {
      isAwake.value = true
      sleeper.value.take()?.resume()
    }
    run.thread("SDK", wake)
    await withTaskCancellationHandler {
      await withCheckedContinuation {
        if isAwake.value { $0.resume() } else { sleeper.value = $0 }
      }
    } onCancel: {
      wake()
    }
  }

  private func begins(_ name: String) {
    run.userCode("\(name) begins")
    run.expect(mayOverlap || running.isEmpty, "\(name) begins beside \(running)")
    run.expect(!mustNotBegin.contains(name), "\(name) begins, but was cancelled while it waited")
    running.insert(name)
  }

  private func ends(_ name: String) {
    let isCancelled = Task.isCancelled
    run.userCode("\(name) ends\(isCancelled ? ", cancelled" : "")")
    run.expect(isCancelled || !mustBeCancelled.contains(name), "\(name) is not cancelled")
    words[name] = isCancelled ? "cancelled" : "ran"
    running.remove(name)
    known.remove(name)
  }

  // MARK: The bag

  /// - Parameter policy: Without one, the task has no id.
  func add(
    _ name: String,
    ifTaken policy: TaskBag.TakenIDPolicy?,
    sleeps: Bool = false,
    isolation: isolated (any Actor)? = #isolation
  ) {
    names.append(name)
    let wasClosed = isClosed
    cancelling(if: policy == .replace || policy == .replaceAtOnce) {
      let operation = operation(name, sleeps: sleeps)
      let isAdded =
        if let policy {
          bag?.add(id: TrackedID(in: run), ifTaken: policy, operation: operation)
        } else {
          bag?.add(operation: operation)
        }
      guard isAdded == true else { return words[name] = "refused" }
      run.expect(!wasClosed, "a closed bag takes \(name)")
      // Perhaps it has ended.
      if words[name] == nil { known.insert(name) }
    }
  }

  /// Stores a task that runs.
  func store(_ task: Task<Void, Never>, _ name: String, ifTaken policy: TaskBag.TakenIDPolicy) {
    cancelling(if: policy == .replace || policy == .replaceAtOnce) {
      guard let bag else { return }
      task.store(in: bag, id: TrackedID(in: run), ifTaken: policy)
      if words[name] == nil { known.insert(name) }
    }
  }

  func cancel() { cancelling { _ = bag?.cancel(id: TrackedID(in: run)) } }

  func cancelAll() { cancelling { bag?.cancelAll() } }

  func close() {
    bag?.close()
    isClosed = true
  }

  /// Another thread that uses the bag may release it later.
  func release() {
    if cancellers == 0 { cancelling { bag = nil } } else { bag = nil }
  }

  /// Each task that the bag had before must be cancelled now, and must not begin if it waits.
  private func cancelling(if cancels: Bool = true, _ body: () -> Void) {
    let (before, blockers) = (known, running)
    cancellers += 1
    body()
    cancellers -= 1
    guard cancels, cancellers == 0 else { return }
    let cancelled = before.intersection(known)
    mustBeCancelled.formUnion(cancelled)
    if !mayOverlap, !blockers.isDisjoint(with: running) {
      mustNotBegin.formUnion(cancelled.subtracting(running))
    }
  }

  func waitForAll() async throws {
    let before = known
    try await bag?.waitForAll()
    run.expect(before.isDisjoint(with: known), "tasks are left: \(before.intersection(known))")
  }

  func drain(_ gracePeriod: Timeout) async {
    cancellers += 1
    await bag?.drain(cancellingAfter: gracePeriod)
    cancellers -= 1
    isClosed = true
    run.userCode("drained")
    run.expect(running.isEmpty, "drained, but \(running) run")
  }
}

/// An id that must be released, and not under a lock.
private final class TrackedID: Hashable, Sendable {
  private let tracked: Tracked
  init(in run: Run) { tracked = Tracked("an id", in: run) }
  static func == (left: TrackedID, right: TrackedID) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
