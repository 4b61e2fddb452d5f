import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

@testable import CooperativeCancellation

@Suite("timeout:", .watchdog) struct TimeoutTests {
  private func watch(_ clock: some Clock<Duration>, timeout: Duration = .seconds(5)) -> Watch {
    Watch(timeout: Timeout(timeout, clock: clock))
  }

  @Test(arguments: BridgeForm.checking, [Duration.zero, .seconds(-1)])
  func `a timeout of zero calls neither SDK nor clock, and loses to an earlier cancellation`(
    form: BridgeForm,
    timeout: Duration
  ) {
    for isCancelled in [false, true] {
      let clock = ManualClock()
      let call = TestCall(form, .insideTheCall, watch(clock, timeout: timeout))
      if isCancelled { call.cancel() }
      call.run()
      #expect(call.ending == (isCancelled ? form.cancelled : form.timedOut(call.watch)))
      #expect(call.backend.counts == .init())
      #expect(clock.sleepCount == 0 && clock.readCount == 0, "it does not ask the clock")
    }
  }

  @Test(arguments: BridgeForm.unchecked, [.seconds(Int.min), Timeout(.zero, clock: distant)])
  func `a timeout of zero runs the closure of a continuation, forwards and ends, without the clock`(
    form: BridgeForm,
    timeout: Timeout
  ) async {
    for isCancelled in [false, true] {
      let call = TestCall(form, .never, Watch(timeout: timeout))
      if isCancelled { call.cancel() }
      await call.runUntil(isCancelled ? form.cancelled : form.timedOut(call.watch))
      #expect(call.watch.events == [.operation, .onCancel])
      #expect(Self.distant.readCount == 0)
    }
  }

  @Test(arguments: CancellationResponse.allCases)
  func `a timeout has no timer in a task that is cancelled before`(response: CancellationResponse)
    async
  {
    await Task {
      cancelThisTask()
      #expect((Wait(response: response).timer(until: .custom {}) == nil) == response.heeds)
    }.value
  }

  @Test(arguments: BridgeForm.cancellable)
  func `a timeout does not begin a sleep for an answer inside operation`(form: BridgeForm) async {
    let clock = ManualClock()
    let call = TestCall(form, .insideTheCall, watch(clock))
    call.run()
    #expect(call.ending == form.delivered)
    // A sleep would begin in a task, and have begun after some others.
    for _ in 1...20 { await Task.detached {}.value }
    #expect(clock.sleepCount == 0)
  }

  private static let distant = ManualClock(now: .seconds(Int64.max / 2))

  @Test(arguments: [
    Timeout.seconds(99e7), .seconds(.infinity), Timeout(.seconds(Int64.max)),
    Timeout(.seconds(100 * 365 * 24 * 3600), clock: distant),
    Timeout(.seconds(Int64.max), clock: distant),
  ])
  func `a timeout may be long, and one of a hundred years or more does not ask the clock`(
    timeout: Timeout
  ) {
    let call = TestCall(.result, .onDemand, Watch(timeout: timeout))
    call.run()
    #expect(call.ending == nil)
    #expect(Self.distant.readCount == 0)
    call.backend.answer()
    call.run()
    #expect(call.ending == BridgeForm.result.delivered)
  }

  @Test func `a timeout is not shortened, however long the clock must sleep`() async throws {
    let clock = ManualClock()
    let call = TestCall(.result, .never, watch(clock, timeout: .seconds(1_000_000)))
    call.run()
    try await clock.waitForSleeper(within: .watchdog)
    clock.advance(by: .seconds(999_999))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    await call.runUntil(BridgeForm.result.timedOut(call.watch))
  }

  @Test(arguments: [.result] + BridgeForm.pending)
  func `a timeout counts from before operation`(form: BridgeForm) async throws {
    let clock = ManualClock()
    let late = Watch(
      timeout: Timeout(.seconds(5), clock: clock),
      afterSDK: { clock.advance(by: .seconds(5)) }
    )
    let call = TestCall(form, .never, late)
    // The clock does not advance: the time that `operation` took is enough.
    await call.runUntil(form.timedOut(late))
  }

  @Test
  func `a timeout keeps nothing of the caller's, even with a clock that ignores cancellation`()
    async throws
  {
    final class Captured: Sendable {}
    enum Caller {
      @TaskLocal static var object: Captured?
    }
    weak var captured: Captured?
    let clock = ManualClock()
    clock.state.change { $0.ignoresCancellation = true }
    do {
      let object = Captured()
      captured = object
      let watch = Watch(
        timeout: Timeout(.seconds(5), clock: clock),
        inOnDiscard: { _ = object }
      )
      try await Caller.$object.withValue(object) {
        let call = TestCall(.result, .onDemand, watch)
        call.run()
        try await clock.waitForSleeper(within: .watchdog)
        call.backend.answer()
        call.run()
        #expect(call.ending == .value("1"))
        call.backend.drop()
      }
    }
    #expect(clock.sleeperCount == 1)
    #expect(captured == nil)
    clock.advance(by: .seconds(5))
  }

  @Test func `the error of a timeout names the duration, the call and what to do`() async throws {
    for (timeout, words) in [
      (Timeout.seconds(0), "at once, because its timeout is 0 seconds. Allow more time."),
      (.milliseconds(1), "after 1 millisecond."),
    ] {
      let line = Reports.shared.uniqueLine()
      let error = await #expect(throws: TimeoutError.self) {
        try await withAsyncThrowingValue(timeout: timeout, line: line) { FakeSDK(.never).save($0) }
      }
      let text = error.map { "\($0)" } ?? ""
      #expect(text.hasPrefix("The call at \(#fileID):\(line) timed out \(words)"))
    }
  }
}

/// Clocks that misbehave.
extension TimeoutTests {
  private struct BrokenClock: Error {}

  private static let hasty: [@Sendable () async throws -> Void] = [
    {},
    { throw BrokenClock() },
    { throw CancellationError() },
  ]

  @Test(arguments: hasty.indices)
  func `a timeout comes at once with a clock that returns early, throws, or throws a cancellation`(
    number: Int
  ) async {
    let clock = OddClock(sleeps: Self.hasty[number])
    let call = TestCall(.result, .never, watch(clock))
    await call.runUntil(BridgeForm.result.timedOut(call.watch))
    #expect(call.watch.forwarded == 1)
  }

  @Test(arguments: [TaskPriority.high, .low])
  func `a timeout is measured with the priority of the caller`(priority: TaskPriority) async {
    let measured = Protected<TaskPriority?>(nil)
    let clock = OddClock { measured.withLock { $0 = Task.currentPriority } }
    // No task awaits it, which would raise its priority.
    let ended = Signal()
    Task.detached(priority: priority) {
      try? await withAsyncThrowingValue(timeout: Timeout(.seconds(5), clock: clock)) {
        FakeSDK(.never).save($0)
      }
      ended.fire()
    }
    await ended.wait()
    #expect(measured.withLock { $0 } == priority)
  }
}
