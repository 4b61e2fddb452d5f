import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import PendingAnswers
import TaskBags
import Testing

@Suite("One call for many callers", .watchdog) struct SharedCallsTests {
  private typealias Value = LiveCount.Member
  private typealias Completion = @Sendable (Result<Value, any Error>) -> Void

  private let sdk = FakeCall<Completion>()
  private let loads = SharedCalls<String, Value>()
  private let values = LiveCount()

  private static func load(_ sdk: FakeCall<Completion>) async throws -> Value {
    try await withAsyncThrowingValue { completion in
      sdk.record { completion($0) }
    } onCancel: {
      $0.cancel()
    }
  }

  private func load(
    _ key: String = "sea",
    timeout: Timeout? = nil,
    line: UInt = #line
  ) async throws -> Value {
    try await loads.value(for: key, timeout: timeout, line: line) { [sdk] in
      try await Self.load(sdk)
    }
  }

  private func begin(_ count: Int, timeout: Timeout? = nil) async -> [Task<Value, any Error>] {
    let before = loads.count
    let tasks = (0..<count).map { _ in Task { try await load(timeout: timeout) } }
    while loads.count < before + count { await Task.yield() }
    return tasks
  }

  private func succeed(_ request: FakeCall<Completion>.Request) -> Value {
    let value = Value(of: values)
    request.answer { $0(.success(value)) }
    return value
  }

  @Test(arguments: [1, 2, 3, 4, 5, 40])
  func `the SDK is called once, and its value goes to all`(callers: Int) async throws {
    let tasks = await begin(callers)
    let value = succeed(try await sdk.next(within: .watchdog))
    for task in tasks { #expect(try await task.value === value) }
    #expect(sdk.callCount == 1 && sdk[1]?.cancelCount == 0 && loads.count == 0)
  }

  @Test(arguments: [false, true])
  func `who tries again at once asks the SDK again`(answersAtOnce: Bool) async throws {
    if answersAtOnce { sdk.whenCalled { $0.answer { $0(.failure(SDKError.failed)) } } }
    let tries = 100
    let task = Task {
      for _ in 0..<tries {
        await #expect(throws: SDKError.self) { try await load() }
      }
    }
    for _ in 0..<tries where !answersAtOnce {
      try await sdk.next(within: .watchdog).answer { $0(.failure(SDKError.failed)) }
    }
    await task.value
    #expect(sdk.callCount == tries)
  }

  @Test(arguments: [false, true])
  func `a caller that is interrupted leaves at once, and the others go on`(timesOut: Bool)
    async throws
  {
    let clock = ManualClock()
    let first = await begin(1, timeout: Timeout(.seconds(5), clock: clock))[0]
    let second = await begin(1)[0]
    let request = try await sdk.next(within: .watchdog)
    try await clock.waitForSleeper(within: .watchdog)
    if timesOut { clock.advance(by: .seconds(5)) } else { first.cancel() }
    let error = await #expect(throws: (any Error).self) { try await first.value }
    #expect(timesOut ? error is TimeoutError : error is CancellationError)
    #expect(loads.count == 1)
    let value = succeed(request)
    #expect(try await second.value === value)
    #expect(request.cancelCount == 0)
  }

  @Test func `the last one to leave cancels the call, and a later caller asks anew`() async throws {
    let tasks = await begin(2)
    let old = try await sdk.next(within: .watchdog)
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    let later = await begin(1)[0]
    let new = try await sdk.next(within: .watchdog)
    try await old.cancelled(within: .watchdog)
    _ = succeed(old)
    #expect(loads.count == 1, "a late answer is not for a later call")
    let value = succeed(new)
    #expect(try await later.value === value)
    #expect(old.cancelCount == 1 && new.cancelCount == 0)
  }

  @Test func `the value of an operation that no caller waits for is discarded once`() async throws {
    let (begun, mayEnd, ended) = (Signal(), Signal(), Signal())
    let loads = SharedCalls<Int, Int>()
    let task = Task {
      try await loads.value(for: 1) { @MainActor in
        begun.fire()
        await mayEnd.wait()
        return 7
      } onDiscard: { value in
        MainActor.preconditionIsolated()
        #expect(value == 7)
        ended.fire()
      }
    }
    await begun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    mayEnd.fire()
    await ended.wait()
  }

  private enum Outcome: CaseIterable { case delivered, discarded }

  @Test func `a value that all callers refuse is discarded once, in every race`() async throws {
    var split = Split(of: Outcome.allCases)
    while split.goesOn(for: tries(10_000), often: 5) {
      let (loads, mayEnd, hasEnded) = (SharedCalls<Int, Int>(), Signal(), Signal())
      let discards = Protected(0)
      let tasks = (0..<2).map { _ in
        Task {
          try await loads.value(for: 1) {
            await mayEnd.wait()
            defer { hasEnded.fire() }
            return 7
          } onDiscard: { _ in
            discards.withLock { $0 += 1 }
          }
        }
      }
      while loads.count < 2 { await Task.yield() }
      raceTwo { thread in
        if thread == 0 { mayEnd.fire() } else { for task in tasks { task.cancel() } }
      }
      var delivered = 0
      for task in tasks where (try? await task.value) != nil { delivered += 1 }
      await hasEnded.wait()
      while delivered == 0, discards.withLock({ $0 == 0 }) { await Task.yield() }
      #expect(discards.withLock { $0 } == (delivered == 0 ? 1 : 0))
      split[delivered == 0 ? .discarded : .delivered] += 1
    }
    print("shared calls raced: \(split)")
  }

  @Test func `a shared call runs on the actor of the first caller, and each goes on on its own`()
    async throws
  {
    let (begun, mayEnd) = (Signal(), Signal())
    let loads = SharedCalls<Int, Int>()
    @MainActor func onMainActor() async throws -> Int {
      let value = try await loads.value(for: 1) {
        MainActor.preconditionIsolated()
        begun.fire()
        await mayEnd.wait()
        MainActor.preconditionIsolated()
        return 7
      }
      MainActor.preconditionIsolated()
      return value
    }
    let first = Task { try await onMainActor() }
    await begun.wait()
    let second = Task { try await Other().value(of: loads) }
    while loads.count < 2 { await Task.yield() }
    mayEnd.fire()
    #expect(try await first.value == 7)
    #expect(try await second.value == 7)
  }

  private actor Other {
    func value(of loads: SharedCalls<Int, Int>) async throws -> Int {
      let value = try await loads.value(for: 1) {
        Issue.record("it is the second")
        return 0
      }
      preconditionIsolated()
      return value
    }
  }

  @Test(arguments: [nil, .seconds(0), .seconds(-1)] as [Timeout?])
  func `a caller that is over before calls nothing`(timeout: Timeout?) async {
    await Task {
      if timeout == nil { cancelThisTask() }
      let error = await #expect(throws: (any Error).self) {
        try await loads.value(for: "sea", timeout: timeout) {
          Issue.record("it begins")
          return Value(of: LiveCount())
        }
      }
      #expect(timeout == nil ? error is CancellationError : error is TimeoutError)
    }.value
  }

  @Test func `a key that does not equal itself has a call of its own`() async throws {
    let loads = SharedCalls<Double, Int>()
    #expect(try await loads.value(for: .nan) { 7 } == 7)
    let (begun, ended) = (Signal(), Signal())
    let task = Task {
      try await loads.value(for: .nan) {
        begun.fire()
        defer { ended.fire() }
        try await waitForCancellation()
        return 7
      }
    }
    await begun.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await ended.wait()
    #expect(loads.count == 0)
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test(arguments: [false, true])
  func `a shared call has the priority of its most urgent caller, also of one that is raised`(
    isRaisedLater: Bool
  ) async throws {
    let loads = SharedCalls<Int, Void>()
    let (begun, raised) = (Signal(), Signal())
    let first = Task.detached(priority: .low) {
      try await loads.value(for: 1) {
        await withTaskPriorityEscalationHandler {
          begun.fire()
          await raised.wait()
        } onPriorityEscalated: { _, _ in
          raised.fire()
        }
      }
    }
    await begun.wait()
    try await Task.detached(priority: .high) {
      if isRaisedLater { try await first.value } else { try await loads.value(for: 1) {} }
    }.value
    try await first.value
  }

  /// As a task that another thread raises while it joins: looking the key up raises the task, once.
  private struct RaisingKey: Hashable {
    let number: Int
    let hasRaised: Protected<Bool>

    init(_ number: Int, raises: Bool) {
      self.number = number
      hasRaised = Protected(!raises)
    }

    static func == (left: RaisingKey, right: RaisingKey) -> Bool { left.number == right.number }

    func hash(into hasher: inout Hasher) {
      hasher.combine(number)
      let raises = hasRaised.withLock { hasRaised in
        defer { hasRaised = true }
        return !hasRaised
      }
      guard raises, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
        return
      }
      withUnsafeCurrentTask { $0?.escalatePriority(to: .high) }
    }
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Test(arguments: [false, true])
  func `a caller that is raised while it joins raises the call`(isFirst: Bool) async throws {
    let loads = SharedCalls<RaisingKey, Void>()
    let (begun, raised, mayEnd) = (Signal(), Signal(), Signal())
    let first = Task.detached(priority: .low) {
      try await loads.value(for: RaisingKey(1, raises: isFirst)) {
        await withTaskPriorityEscalationHandler {
          if Task.currentPriority >= .high { raised.fire() }
          begun.fire()
          await mayEnd.wait()
        } onPriorityEscalated: { _, priority in
          if priority >= .high { raised.fire() }
        }
      }
    }
    await begun.wait()
    let second = Task.detached(priority: .low) {
      try await loads.value(for: RaisingKey(1, raises: !isFirst)) {}
    }
    // Not a task: to await one would raise it.
    await raised.wait()
    mayEnd.fire()
    try await first.value
    try await second.value
  }

  @Test
  func `a caller that joins before the task exists raises it, as does one that is raised`() throws {
    for raisesFirst in [false, true] {
      var machine = SharedCallsMachine<Int, Int>()
      let first = try machine.join(1, 1, .low)
      let second = try machine.join(1, 2, raisesFirst ? .low : .high)
      #expect(first.isFirst && !second.isFirst && first.call == second.call)
      if raisesFirst { #expect(machine.raise(first.call, to: .high) == nil) }
      #expect(machine.raise(second.call, to: .low) == nil, "it never falls")
      #expect(machine.start(first.call, Task {}) == .high)
    }
  }

  @Test func `the list of waiting calls names the key of a shared call`() async {
    WaitingCalls.startRecording()
    let line = Reports.shared.uniqueLine()
    let task = Task { try await load(line: line) }
    func texts() -> [String] { WaitingCalls.all.filter { $0.callSite.line == line }.map(\.text) }
    while texts().isEmpty { await Task.yield() }
    #expect(texts() == ["\(#fileID):\(line), id \"sea\""])
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a wrapper made of shared calls keeps the kit's guarantees`() async throws {
    let loads = Loads()
    // Two calls with one key share their answer, so each has its own.
    try await checkWrapper(values: values) { call, clock in
      let loads = await call.wrapper { loads }
      let key = loads.number.withLock { number in
        number += 1
        return number
      }
      let timeout = Timeout(.seconds(5), clock: clock)
      return try await loads.calls.value(for: key, timeout: timeout) {
        try await Self.load(call)
      }
    } success: { [values] (completion: Completion) in
      completion(.success(Value(of: values)))
    } failure: { completion in
      completion(.failure(SDKError.failed))
    }
  }

  private final class Loads: Sendable {
    let calls = SharedCalls<Int, Value>()
    let number = Protected(0)
  }
}
