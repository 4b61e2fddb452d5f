import CooperativeCancellation
import CooperativeCancellationTesting
import Synchronization
import Testing

@Suite("The page “Recipes for apps”", .serialized)
@MainActor
struct AppRecipesTests {
  @Test func `calls that can be cancelled`() async throws {
    try await check({ Shop() }, whenCancelled: .deliverResult) { try await $0.pay(10) }
    try await check({ Shop() }) { try await $0.prices() }
    try await check({ Shop() }, except: .forwarding) { try await $0.openConnection() }
    try await check({ Store() }, except: .drop) { try await $0.rows("a") }
  }

  @Test(arguments: [false, true])
  func `interrupting whatever runs reaches no other statement`(isAnsweredFirst: Bool) async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let store = Store()
      let old = Task { try await store.rows("a") }
      let first = try await calls.next()
      let new = Task { try await store.rows("b") }
      // This test has the main actor, so the task does not read this answer before the
      // cancellation.
      if isAnsweredFirst { first.answer { $0(nil) } }
      old.cancel()
      await #expect(throws: CancellationError.self) { try await old.value }
      // A real database answers an interrupted statement with an error.
      if !isAnsweredFirst { first.answer { $0(SDKError()) } }
      let second = try await calls.next()
      #expect((first.cancelCount, second.cancelCount) == (1, 0))
      second.answer { $0(nil) }
      #expect(try await new.value == ["row of b"])
    }
  }

  @Test func `a retry waits, and longer each time`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let (shop, clock) = (Shop(), RecordingClock())
      let task = Task { try await shop.pricesWithRetries(clock: clock) }
      for _ in 1...2 { try await calls.next().answer { $0(ServerBusy()) } }
      try await calls.next().answer { $0(nil) }
      #expect(try await task.value(within: .seconds(5)) == [10, 20])
      #expect(clock.pauses.withLock { $0 } == [.milliseconds(500), .seconds(1)])
    }
  }

  @Test func `an error that will not go away ends the retries, and so does a cancellation`()
    async throws
  {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let (shop, clock) = (Shop(), ManualClock())
      let failing = Task { try await shop.pricesWithRetries(clock: clock) }
      try await calls.next().answer { $0(SDKError()) }
      await #expect(throws: SDKError.self) { try await failing.value(within: .seconds(5)) }
      let cancelled = Task { try await shop.pricesWithRetries(clock: clock) }
      try await calls.next().answer { $0(ServerBusy()) }
      try await clock.waitForSleeper()
      cancelled.cancel()
      await #expect(throws: CancellationError.self) {
        try await cancelled.value(within: .seconds(5))
      }
      #expect(calls.callCount == 2)
    }
  }

  @Test func `three pictures are loaded at a time`() async throws {
    let calls = FakeCall<SDKRequest.Answer>()
    try await SDKRequest.calls.withValue(calls) {
      let shop = Shop()
      let task = Task { try await shop.pictures(of: Array(1...7)) }
      var running = try await [calls.next(), calls.next(), calls.next()]
      for number in 4...7 {
        #expect(calls.callCount == number - 1)
        running.removeFirst().answer { $0(nil) }
        running.append(try await calls.next())
      }
      for request in running { request.answer { $0(nil) } }
      #expect(
        try await task.value
          == Dictionary(uniqueKeysWithValues: (1...7).map { ($0, Picture(article: $0)) })
      )
    }
  }

  @Test func `work on a queue`() async throws {
    #expect(try await Archive().compress("beach") == 5)
    let task = Task { try await Archive().compress("endless") }
    try await waitForCalls(in: "AppRecipes.swift")
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value(within: .seconds(5)) }
  }

  @Test func `a caller with a callback`() async throws {
    try await check({ Shop() }) { shop in
      try await withAsyncThrowingValue {
        shop.loadPrices($0)
      } onCancel: {
        $0.cancel()
      }
    }
  }
}

/// Records how long it was asked to sleep, and does not.
private final class RecordingClock: Clock {
  let now = ContinuousClock.now
  let minimumResolution = Duration.zero
  let pauses = Mutex<[Duration]>([])

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) {
    pauses.withLock { $0.append(deadline - now) }
  }
}
