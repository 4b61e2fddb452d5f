import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Foundation
import TaskBags
import Testing

@Suite("TaskBag", .watchdog) struct TaskBagTests {
  private final class Captured: Sendable {}

  private final class Model: Sendable {
    let bag = TaskBag()
  }

  @Test
  func `the release of a bag's owner cancels the tasks, and releases them, while they run`() async {
    weak var owner: Model?
    weak var bag: TaskBag?
    weak var captured: Captured?
    let ended = Signal()
    let stored = foreverTask()
    do {
      let (object, strong) = (Captured(), Model())
      (owner, bag, captured) = (strong, strong.bag, object)
      strong.bag.add { [weak strong] in
        try? await waitForCancellation()
        _ = (strong, object)
        ended.fire()
      }
      stored.store(in: strong.bag)
      #expect(owner != nil && bag?.count == 2 && captured != nil)
    }
    await ended.wait()
    #expect(stored.isCancelled)
    // The thread of the last task may release it a moment later.
    while owner != nil || bag != nil || captured != nil { await Task.yield() }
  }

  @Test func `cancelAll leaves a bag usable, close does not`() async throws {
    let bag = TaskBag()
    bag.add { try await waitForCancellation() }
    bag.cancelAll()
    try await bag.waitForAll()
    let hasRun = Protected(false)
    #expect(bag.add { hasRun.withLock { $0 = !Task.isCancelled } })
    try await bag.waitForAll()
    #expect(hasRun.withLock { $0 })
    let running = foreverTask()
    running.store(in: bag)
    bag.close()
    #expect(!running.isCancelled, "what runs goes on")
    bag.cancelAll()
    try await bag.waitForAll()
    #expect(foreverTask().store(in: bag).isCancelled)
    #expect(foreverTask().store(in: bag, id: 1).isCancelled)
    #expect(!bag.add { Issue.record("started by a closed bag") })
    #expect(!bag.add(id: 1) { Issue.record("started by a closed bag") })
    #expect(bag.count == 0)
  }

  @Test func `a drained bag takes no tasks, lets its own finish, and ignores cancellation`()
    async throws
  {
    let bag = TaskBag()
    let clock = ManualClock()
    let mayEnd = Signal()
    let wasCancelled = Protected<Bool?>(nil)
    bag.add {
      await mayEnd.wait()
      wasCancelled.withLock { $0 = Task.isCancelled }
    }
    let draining = Task {
      cancelThisTask()
      await bag.drain(cancellingAfter: Timeout(.seconds(10), clock: clock))
      #expect(bag.count == 0)
    }
    try await clock.waitForSleeper(within: .watchdog)
    #expect(!bag.add { Issue.record("started by a closed bag") })
    draining.cancel()
    clock.advance(by: .seconds(9))
    mayEnd.fire()
    await draining.value
    #expect(wasCancelled.withLock { $0 } == false)
  }

  @Test(arguments: [Duration.seconds(10), .zero, .seconds(-1)])
  func `after the grace period, a drained bag cancels its tasks and waits for their end`(
    gracePeriod: Duration
  ) async throws {
    let bag = TaskBag()
    let clock = ManualClock()
    let mayEnd = Signal()
    let log = Protected<[String]>([])
    bag.add {
      try? await waitForCancellation()
      log.withLock { $0.append("cancelled") }
      await mayEnd.wait()
      log.withLock { $0.append("ended") }
    }
    let draining = Task {
      await bag.drain(cancellingAfter: Timeout(gracePeriod, clock: clock))
      log.withLock { $0.append("drained") }
    }
    if gracePeriod > .zero {
      try await clock.waitForSleeper(within: .watchdog)
      clock.advance(by: gracePeriod)
    }
    while log.withLock({ $0.isEmpty }) { await Task.yield() }
    mayEnd.fire()
    await draining.value
    #expect(log.withLock { $0 } == ["cancelled", "ended", "drained"])
  }

  // MARK: Ids

  @Test(arguments: [false, true])
  func `replace cancels the old task, keep rejects the new one, runAlongside runs both`(
    isStored: Bool
  ) async throws {
    let bag = TaskBag()
    let (begun, log) = (Protected<Set<String>>([]), Protected<[String]>([]))
    var stored: [String: Task<Void, Never>] = [:]
    func put(_ name: String, _ id: some Hashable & Sendable, _ policy: TaskBag.TakenIDPolicy) {
      let run = { @Sendable () async in
        _ = begun.withLock { $0.insert(name) }
        try? await waitForCancellation()
        log.withLock { $0.append(name) }
      }
      if isStored {
        stored[name] = Task { await run() }.store(in: bag, id: id, ifTaken: policy)
      } else {
        #expect(bag.add(id: id, ifTaken: policy) { await run() } == (policy != .keep))
      }
    }
    /// Waits until these have ended; those that are still in the bag have not.
    func ended(_ names: Set<String>) async {
      while log.withLock({ $0.count }) < names.count { await Task.yield() }
      #expect(Set(log.withLock { $0 }) == names)
      #expect(stored.values.count { $0.isCancelled } == (isStored ? names.count : 0))
    }
    // A stored task has begun, so it is cancelled.
    let rejected: Set = isStored ? ["rejected"] : []

    put("first", "load", .replace)
    put("rejected", "load", .keep)
    await ended(rejected)
    put("beside", "load", .runAlongside)
    put("other id", 1, .replace)
    #expect(bag.count == 3)
    await ended(rejected)
    put("last", "load", .replace)
    await ended(rejected.union(["first", "beside"]))
    while !begun.withLock({ $0.contains("last") }) { await Task.yield() }
    #expect(bag.cancel(id: "load"))
    #expect(!bag.cancel(id: "load"), "it is cancelled already")
    #expect(!bag.cancel(id: "nobody"))
    await ended(rejected.union(["first", "beside", "last"]))
    put("one of two", "load", .runAlongside)
    put("the other", "load", .runAlongside)
    #expect(bag.cancel(id: "load"))
    await ended(rejected.union(["first", "beside", "last", "one of two", "the other"]))
    #expect(bag.cancel(id: 1))
    try await bag.waitForAll()
  }

  /// How the old task was cancelled, and how the new one is added.
  enum Succession: CaseIterable {
    case replaced, cancelledByID, allCancelled, keptAfterCancellation, replacedStored
  }

  @Test(arguments: Succession.allCases)
  func `the latest one begins when the old one has ended, and those in between never do`(
    succession: Succession
  ) async throws {
    WaitingCalls.startRecording()
    let (bag, line) = (TaskBag(), Reports.shared.uniqueLine())
    let (begun, cancelled, mayEnd) = (Signal(), Signal(), Signal())
    let log = Protected<[String]>([])
    let old = { @Sendable () async in
      begun.fire()
      try? await waitForCancellation()
      cancelled.fire()
      await mayEnd.wait()
      log.withLock { $0.append("old") }
    }
    if succession == .replacedStored {
      Task(operation: old).store(in: bag, id: "x", line: line)
    } else {
      bag.add(id: "x", line: line, operation: old)
    }
    await begun.wait()
    switch succession {
    case .replaced, .replacedStored: break
    case .cancelledByID, .keptAfterCancellation: #expect(bag.cancel(id: "x"))
    case .allCancelled: bag.cancelAll()
    }
    let policy: TaskBag.TakenIDPolicy = succession == .keptAfterCancellation ? .keep : .replace
    for number in 1...3 {
      bag.add(id: "x") { Issue.record("\(number) was replaced before it began") }
    }
    bag.cancel(id: "x")
    #expect(bag.add(id: "x", ifTaken: policy, line: line) { log.withLock { $0.append("new") } })
    #expect(!bag.add(id: "x", ifTaken: .keep) { Issue.record("the new one has the id") })
    await cancelled.wait()
    while bag.count > 2 || Self.waiting(line).isEmpty { await Task.yield() }
    let blocker = CallSite(fileID: #fileID, line: line)
    #expect(
      Self.waiting(line) == [
        "\(blocker), id \"x\", waiting for the task added at \(blocker) to end"
      ]
    )
    bag.add(id: "x", ifTaken: .runAlongside) { log.withLock { $0.append("beside") } }
    while bag.count > 2 { await Task.yield() }
    #expect(log.withLock { $0 } == ["beside"])
    mayEnd.fire()
    try await bag.waitForAll()
    #expect(log.withLock { $0 } == ["beside", "old", "new"])
    bag.add(id: "x") { while log.withLock({ $0.last != "at once" }) { await Task.yield() } }
    bag.add(id: "x", ifTaken: .replaceAtOnce) { log.withLock { $0.append("at once") } }
    try await bag.waitForAll()
    #expect(log.withLock { $0 }.last == "at once")
  }

  @Test
  func `a task that waits begins when the earlier one has ended, though another runs beside it`()
    async throws
  {
    WaitingCalls.startRecording()
    let (bag, line) = (TaskBag(), Reports.shared.uniqueLine())
    let (earlierMayEnd, besideMayEnd) = (Signal(), Signal())
    let (besideBegun, latestBegun) = (Signal(), Signal())
    let hasBegun = Protected(false)
    bag.add(id: "x") { await earlierMayEnd.wait() }
    bag.add(id: "x", line: line) {
      hasBegun.withLock { $0 = true }
      latestBegun.fire()
    }
    while Self.waiting(line).isEmpty { await Task.yield() }
    bag.add(id: "x", ifTaken: .runAlongside) {
      besideBegun.fire()
      await besideMayEnd.wait()
    }
    await besideBegun.wait()
    #expect(!hasBegun.withLock { $0 })
    earlierMayEnd.fire()
    await latestBegun.wait()
    besideMayEnd.fire()
    try await bag.waitForAll()
  }

  @Test(arguments: [false, true])
  func `the latest one waits for a stored one too, and not for one that never begins`(
    isStored: Bool
  ) throws {
    var tasks = BagMembersMachine<String>()
    let id = BagID("x")
    func add(isStored: Bool = false) throws -> Int {
      let reservation = tasks.reserve(id, ifTaken: .replace, hasBegun: isStored)
      let slot = try #require(reservation).slot
      _ = tasks.start(slot, .given(foreverTask().erased()))
      return slot
    }
    let first = try add()
    let second = try add(isStored: isStored)
    let cancelled = tasks.cancelAll()
    #expect(cancelled.count == 1, "the first one was cancelled when it was replaced")
    let latest = try add()
    let begins = tasks.waitToBegin(latest, "latest")
    #expect(!begins)
    // The second one is stored, and runs, or was cancelled before it began.
    let afterFirst = tasks.finish(first).waiters
    #expect(afterFirst == (isStored ? [] : ["latest"]))
    let afterSecond = tasks.finish(second).waiters
    #expect(afterSecond == (isStored ? ["latest"] : []))
  }

  @Test(arguments: [false, true])
  func `a task that is cancelled while it is made is cancelled when it exists`(
    hasID: Bool
  ) throws {
    var tasks = BagMembersMachine<String>()
    let made = hasID ? tasks.reserve(BagID("x"), ifTaken: .replace) : tasks.reserve()
    let slot = try #require(made).slot
    let cancelled = tasks.cancelAll()
    #expect(cancelled.isEmpty, "there is no task yet")
    let mustCancel = tasks.start(slot, .given(foreverTask().erased()))
    #expect(mustCancel)
  }

  @Test(arguments: [false, true])
  func `the list names a task that delays the latest one, and none that never begins`(
    hasOneBeside: Bool
  ) async throws {
    WaitingCalls.startRecording()
    let bag = TaskBag()
    let (begun, mayEnd) = (Protected(0), Signal())
    let lines = (0..<4).map { _ in Reports.shared.uniqueLine() }
    @Sendable func holdOn() async {
      begun.withLock { $0 += 1 }
      await mayEnd.wait()
    }
    bag.add(id: "x", line: lines[0]) { await holdOn() }
    if hasOneBeside {
      bag.add(id: "x", ifTaken: .runAlongside, line: lines[1]) { await holdOn() }
    }
    while begun.withLock({ $0 }) < (hasOneBeside ? 2 : 1) { await Task.yield() }
    bag.add(id: "x", line: lines[2]) { Issue.record("it was replaced before it began") }
    while Self.waiting(lines[2]).isEmpty { await Task.yield() }
    bag.add(id: "x", line: lines[3]) {}
    while Self.waiting(lines[3]).isEmpty { await Task.yield() }
    let texts = lines.prefix(hasOneBeside ? 2 : 1).map { line in
      "\(#fileID):\(lines[3]), id \"x\", waiting for the task added at \(#fileID):\(line) to end"
    }
    #expect(texts.contains(Self.waiting(lines[3])[0]))
    for _ in texts { mayEnd.fire() }
    try await bag.waitForAll()
  }

  private static func waiting(_ line: UInt) -> [String] {
    WaitingCalls.all.filter { $0.callSite.line == line }.map { call in
      call.text.components(separatedBy: ", in the task")[0]
    }
  }

  @Test func `ids of different types are different`() async throws {
    class Base: Hashable, @unchecked Sendable {
      static func == (left: Base, right: Base) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
    }
    final class Derived: Base, @unchecked Sendable {}
    let bag = TaskBag()
    bag.add(id: "x") { try await waitForCancellation() }
    bag.add(id: String?.none) { try await waitForCancellation() }
    bag.add(id: Base()) { try await waitForCancellation() }
    #expect(!bag.cancel(id: Optional("x")))
    #expect(!bag.cancel(id: Int?.none))
    #expect(!bag.cancel(id: Derived()))
    #expect(bag.cancel(id: "x") && bag.cancel(id: String?.none) && bag.cancel(id: Base()))
    bag.add(id: Derived() as Base) { try await waitForCancellation() }
    #expect(bag.cancel(id: Derived()), "an object that was passed as its superclass")
    try await bag.waitForAll()
  }

  // MARK: Errors

  @Test func `an error goes to onError with its call site, before its task counts as ended`()
    async throws
  {
    let reports = Protected<[String]>([])
    let bag = TaskBag()
    bag.onError = { [weak bag] error, callSite in
      let isRunning = bag?.count == 1
      reports.withLock { $0.append("\(callSite): \(error) \(Task.isCancelled) \(isRunning)") }
    }
    func expectReport(_ error: String, line: UInt, isCancelled: Bool = false) async throws {
      try await bag.waitForAll()
      let callSite = CallSite(fileID: #fileID, line: line)
      #expect(reports.withLock { $0 } == ["\(callSite): \(error) \(isCancelled) true"])
      reports.withLock { $0 = [] }
    }

    bag.add { throw SDKError.failed }
    try await expectReport("failed", line: #line - 1)
    await MainActor.run { _ = bag.add(line: 17) { @MainActor in throw SDKError.failed } }
    try await expectReport("failed", line: 17)
    bag.add(id: 1, line: 18) { throw CancellationError() }
    try await expectReport("CancellationError()", line: 18)  // This task was not cancelled.
    bag.add(line: 19) {
      do { try await waitForCancellation() } catch { throw SDKError.cancelled }
    }
    bag.cancelAll()
    try await expectReport("cancelled", line: 19, isCancelled: true)
    bag.add { try await waitForCancellation() }
    bag.cancelAll()
    try await bag.waitForAll()
    #expect(reports.withLock { $0 } == [], "the cancellation of a cancelled task")
    #expect(CallSite(fileID: #fileID, line: 1) != CallSite(fileID: "Another/File.swift", line: 1))
  }

  @Test func `without onError, an error is printed with its call site`() async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) {
      let bag = TaskBag()
      bag.add(line: 7) { throw SDKError.failed }
      try await bag.waitForAll()
      bag.add(line: 8) {
        do { try await waitForCancellation() } catch { throw SDKError.cancelled }
      }
      bag.cancelAll()
      try await bag.waitForAll()
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("TaskBagTests.swift:7: the task added here threw: failed"))
    #expect(!text.contains("TaskBagTests.swift:8:"), "a cancelled task's error is expected")
  }

  // MARK: Tasks that are stored

  @Test
  func `the bag does not keep the task-local values of the caller that stores a task`() async {
    enum Locals {
      @TaskLocal static var value: Captured?
    }
    let bag = TaskBag()
    let running = foreverTask()
    weak var value: Captured?
    do {
      let strong = Captured()
      value = strong
      Locals.$value.withValue(strong) { _ = running.store(in: bag) }
    }
    #expect(value == nil, "the task-local values were the caller's")
    bag.cancelAll()
    _ = await running.result
  }

  @Test func `storing a task does not raise it above the caller's priority`() async {
    let mayEnd = Signal()
    let bag = TaskBag()
    let task = Task.detached(priority: .utility) {
      Task {
        await mayEnd.wait()
        return Task.currentPriority
      }.store(in: bag)
    }
    // Not awaited: that would raise its priority. It is in the bag soon.
    while bag.count == 0 { await Task.yield() }
    mayEnd.fire()
    while bag.count > 0 { await Task.yield() }
    #expect(await task.value.value == .utility)
  }
}
