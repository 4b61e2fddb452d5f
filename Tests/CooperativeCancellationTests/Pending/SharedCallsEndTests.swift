import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import PendingAnswers
import Testing

@Suite("One call for many callers: begun and ended from outside", .watchdog)
struct SharedCallsEndTests {
  private typealias Value = LiveCount.Member
  private typealias Completion = @Sendable (Result<Value, any Error>) -> Void

  private let sdk = FakeCall<Completion>()
  private let loads = SharedCalls<Double, Value>()
  private let values = LiveCount()
  private let discarded = Gauge()

  /// Counts, and can be waited for.
  private final class Gauge: Sendable {
    private let number = Protected(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
    func wait(for count: Int) async { while self.count < count { await Task.yield() } }
  }

  private static func load(_ sdk: FakeCall<Completion>) async throws -> Value {
    try await withAsyncThrowingValue(whenCancelled: .deliverResult) { completion in
      sdk.record { completion($0) }
    } onCancel: {
      $0.cancel()
    }
  }

  private func call(_ count: Int, _ key: Double = 1) async -> [Task<Value, any Error>] {
    let before = loads.count
    let tasks = (0..<count).map { _ in
      Task {
        try await loads.value(for: key) { [sdk] in
          try await Self.load(sdk)
        } onDiscard: { [discarded] _ in
          discarded.add()
        }
      }
    }
    while loads.count < before + count { await Task.yield() }
    return tasks
  }

  private func begin(_ key: Double = 1) {
    loads.begin(for: key) { [sdk] in
      try await Self.load(sdk)
    } onDiscard: { [discarded] _ in
      discarded.add()
    }
  }

  private func succeed(_ request: FakeCall<Completion>.Request) -> Value {
    let value = Value(of: values)
    request.answer { $0(.success(value)) }
    return value
  }

  private func expectErrors(_ error: SDKError, of tasks: [Task<Value, any Error>]) async {
    for task in tasks { await #expect(throws: error) { try await task.value } }
  }

  // MARK: An end from outside

  @Test func `all callers of a key get the error, and its task is cancelled`() async throws {
    let ended = await call(3, 1)
    let old = try await sdk.next(within: .watchdog)
    let other = await call(1, 2)
    let otherRequest = try await sdk.next(within: .watchdog)
    #expect(loads.tryResume(1, throwing: SDKError.failed))
    #expect(!loads.tryResume(1, throwing: SDKError.failed), "the key is free at once")
    await expectErrors(.failed, of: ended)
    try await old.cancelled(within: .watchdog)

    let later = await call(1, 1)
    let new = try await sdk.next(within: .watchdog)
    _ = succeed(old)
    await discarded.wait(for: 1)
    #expect(loads.count == 2, "a late value is not for a later call")
    let value = succeed(new)
    #expect(try await later[0].value === value)
    let otherValue = succeed(otherRequest)
    #expect(try await other[0].value === otherValue)
    #expect(new.cancelCount == 0 && otherRequest.cancelCount == 0 && discarded.count == 1)
  }

  @Test func `a close ends all calls, and later ones throw its error without a call`() async throws
  {
    let ended = await call(2, 1) + call(1, 2) + call(1, .nan)
    begin(3)
    var requests: [FakeCall<Completion>.Request] = []
    for _ in 1...4 { requests.append(try await sdk.next(within: .watchdog)) }
    loads.close(throwing: SDKError.failed)
    loads.close(throwing: SDKError.cancelled)
    await expectErrors(.failed, of: ended)
    for request in requests { try await request.cancelled(within: .watchdog) }

    begin(1)
    await #expect(throws: SDKError.failed) {
      try await loads.value(for: 1) {
        Issue.record("it is closed")
        return Value(of: LiveCount())
      }
    }
    #expect(!loads.tryResume(1, throwing: SDKError.failed))
    #expect(loads.count == 0 && sdk.callCount == 4)
  }

  @Test func `in a cancelled task, a closed object throws the cancellation`() async {
    loads.close(throwing: SDKError.failed)
    await Task {
      cancelThisTask()
      await #expect(throws: CancellationError.self) {
        try await loads.value(for: 1) { Value(of: LiveCount()) }
      }
    }.value
  }

  @Test func `an error that meets a cancellation ends each caller once, in every race`() async {
    var split = Split(of: [true, false])
    while split.goesOn(for: tries(10_000), often: 5) {
      let (loads, hasEnded) = (SharedCalls<Int, Int>(), Signal())
      let tasks = (0..<2).map { _ in
        Task {
          try await loads.value(for: 1) {
            defer { hasEnded.fire() }
            try await waitForCancellation()
            return 7
          }
        }
      }
      while loads.count < 2 { await Task.yield() }
      raceTwo { thread in
        if thread == 0 {
          loads.resume(1, throwing: SDKError.failed)
        } else {
          for task in tasks { task.cancel() }
        }
      }
      var failed = 0
      for task in tasks {
        do { _ = try await task.value } catch { failed += error is SDKError ? 1 : 0 }
      }
      await hasEnded.wait()
      split[failed > 0] += 1
    }
    print("shared calls ended: \(split)")
  }

  /// If it ends a call whose task does not exist yet, that task must be cancelled when it does.
  @Test func `a call that is ended while it begins is cancelled, in every race`() async {
    var split = Split(of: [true, false])
    while split.goesOn(for: tries(10_000), often: 5) {
      let (loads, hasEnded) = (SharedCalls<Int, Void>(), Signal())
      let wasFound = Protected(false)
      raceTwo { thread in
        if thread == 0 {
          loads.begin(for: 1) {
            defer { hasEnded.fire() }
            try await waitForCancellation()
          }
        } else {
          let found = loads.tryResume(1, throwing: SDKError.failed)
          wasFound.withLock { $0 = found }
        }
      }
      let found = wasFound.withLock { $0 }
      if !found { loads.close(throwing: SDKError.failed) }
      await hasEnded.wait()
      split[found] += 1
    }
    print("shared calls ended while they began: \(split)")
  }

  // MARK: A call that begins without a caller

  @Test func `a call begins without a caller, and goes to those who join`() async throws {
    begin()
    let request = try await sdk.next(within: .watchdog)
    begin()
    let callers = await call(2)
    let value = succeed(request)
    for caller in callers { #expect(try await caller.value === value) }
    #expect(sdk.callCount == 1 && request.cancelCount == 0 && discarded.count == 0)
  }

  @Test(arguments: [false, true])
  func `a call that is begun without callers runs to its end, and its value is discarded`(
    isCancelled: Bool
  )
    async throws
  {
    await Task {
      if isCancelled { cancelThisTask() }
      begin()
    }.value
    let request = try await sdk.next(within: .watchdog)
    do { _ = succeed(request) }
    await discarded.wait(for: 1)
    #expect(request.cancelCount == 0 && discarded.count == 1)
    begin()
    try await sdk.next(within: .watchdog).answer { $0(.failure(SDKError.failed)) }
    let later = await call(1)
    let value = succeed(try await sdk.next(within: .watchdog))
    #expect(try await later[0].value === value)
    #expect(discarded.count == 1, "a value that is returned is not")
  }

  @Test(arguments: [false, true])
  func `a call that is begun without callers goes on when the last one leaves`(isBegunFirst: Bool)
    async throws
  {
    if isBegunFirst { begin() }
    let callers = await call(2)
    begin()
    let request = try await sdk.next(within: .watchdog)
    for caller in callers {
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
    }
    let later = await call(1)
    let value = succeed(request)
    #expect(try await later[0].value === value)
    #expect(sdk.callCount == 1 && request.cancelCount == 0)
  }

  @Test func `a call that is begun runs on the actor of its closure, and is ended from outside`()
    async throws
  {
    let (begun, ended) = (Signal(), Signal())
    let loads = SharedCalls<Int, Void>()
    loads.begin(for: 1) { @MainActor in
      begun.fire()
      try? await waitForCancellation()
      MainActor.preconditionIsolated()
      ended.fire()
    }
    await begun.wait()
    #expect(loads.tryResume(1, throwing: SDKError.failed))
    await ended.wait()
  }
}
