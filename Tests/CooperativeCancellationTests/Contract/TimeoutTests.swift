import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("timeout:", .watchdog)
struct TimeoutTests {
  private func watch(
    _ clock: ManualClock,
    _ response: CancellationResponse = .abandonCallback,
    timeout: Duration = .seconds(5)
  ) -> Watch {
    Watch(response: response, timeout: timeout, clock: clock)
  }

  /// Lets the time of a sleeping call run out.
  private func expire(_ clock: ManualClock, _ call: borrowing TestCall) async {
    await clock.waitForSleeper()
    clock.advance(by: .seconds(5))
    await clock.waitForWakeUp()
    await call.becomesReady()
    call.run()
  }

  @Test(arguments: BridgeForm.checking)
  func `ends the wait with its own error, forwards, and discards the late value`(
    form: BridgeForm
  ) async {
    let clock = ManualClock()
    let call = TestCall(form, .onDemand, watch(clock))
    call.run()
    await expire(clock, call)
    #expect(call.ending == form.timedOut(call.watch))
    #expect(call.watch.events == [.operation, .onCancel])
    #expect(call.backend.counts == .init(started: 1, cancelled: 1))
    call.backend.answer()
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.reports == [])
  }

  @Test(arguments: BridgeForm.checking, [Duration.zero, .seconds(-1)])
  func `of zero or less does not call the SDK`(form: BridgeForm, timeout: Duration) {
    let clock = ManualClock()
    let call = TestCall(form, .insideTheCall, watch(clock, timeout: timeout))
    call.run()
    #expect(call.ending == form.timedOut(call.watch))
    #expect(call.backend.counts == .init())
    #expect(clock.sleepCount == 0)
  }

  @Test(arguments: BridgeForm.throwing)
  func `of zero or less is beaten by a cancel that came before`(form: BridgeForm) {
    let call = TestCall(form, .insideTheCall, watch(ManualClock(), timeout: .zero))
    call.cancel()
    call.run()
    #expect(call.ending == .cancelled)
  }

  @Test(arguments: BridgeForm.checking)
  func `does not begin a sleep for an answer inside operation`(form: BridgeForm) {
    let clock = ManualClock()
    let call = TestCall(form, .insideTheCall, watch(clock))
    call.run()
    #expect(call.ending == form.delivered)
    #expect(clock.sleepCount == 0)
  }

  @Test(arguments: [Duration.seconds(Int64.max), Duration(attoseconds: .max)])
  func `may be as long as a duration can be`(timeout: Duration) async {
    let call = TestCall(.result, .onDemand, Watch(timeout: timeout, clock: ContinuousClock()))
    call.run()
    // The timer was made before these, and has begun when they have ended.
    for _ in 0..<100 { await Task.detached {}.value }
    #expect(call.ending == nil)
    call.backend.answer()
    call.run()
    #expect(call.ending == BridgeForm.result.delivered)
  }

  @Test
  func `counts from before operation`() async {
    let clock = ManualClock()
    let late = Watch(
      timeout: .seconds(5),
      clock: clock,
      afterSDK: { clock.advance(by: .seconds(5)) }
    )
    let call = TestCall(.result, .never, late)
    call.run()
    // No advance: the time that operation took is enough.
    await clock.waitForWakeUp()
    await call.becomesReady()
    call.run()
    #expect(call.ending == BridgeForm.result.timedOut(late))
  }

  @Test(arguments: BridgeForm.checking)
  func `is over when the SDK has answered`(form: BridgeForm) async {
    let clock = ManualClock()
    let call = TestCall(form, .onDemand, watch(clock))
    call.run()
    await clock.waitForSleeper()
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
    await clock.waitForWakeUp()
    #expect(clock.sleeperCount == 0)
    #expect(call.watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.checking)
  func `is over when the task is cancelled, which names the error`(form: BridgeForm) async {
    let clock = ManualClock()
    let call = TestCall(form, .never, watch(clock))
    call.run()
    await clock.waitForSleeper()
    call.cancel()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.forwarded == 1)
    await clock.waitForWakeUp()
    #expect(clock.sleeperCount == 0)
  }

  @Test(arguments: BridgeForm.checking)
  func `is over when the completion was dropped`(form: BridgeForm) async {
    let clock = ManualClock()
    let call = TestCall(form, .onDemand, watch(clock))
    call.run()
    await clock.waitForSleeper()
    call.backend.drop()
    call.run()
    #expect(call.ending != nil)
    await clock.waitForWakeUp()
    #expect(clock.sleeperCount == 0)
  }

  @Test(arguments: BridgeForm.checking)
  func `that came before a cancel names the error, and onCancel runs once`(
    form: BridgeForm
  ) async {
    let clock = ManualClock()
    let call = TestCall(form, .never, watch(clock))
    call.run()
    await clock.waitForSleeper()
    clock.advance(by: .seconds(5))
    await clock.waitForWakeUp()
    await call.becomesReady()
    call.cancel()
    call.run()
    #expect(call.ending == form.timedOut(call.watch))
    #expect(call.watch.forwarded == 1)
  }

  @Test(arguments: BridgeForm.checking)
  func `with waitForCallback forwards, waits, and then is the error`(form: BridgeForm) async {
    let clock = ManualClock()
    let call = TestCall(form, .onDemand, watch(clock, .waitForCallback))
    call.run()
    await expire(clock, call)
    #expect(call.ending == nil)
    #expect(call.watch.forwarded == 1)
    call.cancel()
    call.backend.answer()
    call.run()
    #expect(call.ending == form.timedOut(call.watch))
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.forwarded == 1)
  }

  @Test(arguments: BridgeForm.checking)
  func `with deliverResult forwards, and then delivers what the SDK reports`(
    form: BridgeForm
  ) async {
    let clock = ManualClock()
    let call = TestCall(form, .onDemand, watch(clock, .deliverResult))
    call.run()
    await expire(clock, call)
    #expect(call.ending == nil)
    #expect(call.watch.forwarded == 1)
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == 0)
  }

  @Test
  func `keeps nothing of the caller's, even with a clock that ignores cancellation`() async {
    final class Captured: Sendable {}
    enum Caller {
      @TaskLocal static var object: Captured?
    }
    weak var captured: Captured?
    let clock = ManualClock(ignoresCancellation: true)
    do {
      let object = Captured()
      captured = object
      let watch = Watch(timeout: .seconds(5), clock: clock, inOnDiscard: { _ = object })
      await Caller.$object.withValue(object) {
        let call = TestCall(.result, .onDemand, watch)
        call.run()
        await clock.waitForSleeper()
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

  @Test
  func `has an error that names the duration, the call and what to do`() async {
    let line = Reports.shared.uniqueLine()
    do {
      try await withAsyncThrowingValue(timeout: .zero, line: line) { $0(.success) }
    } catch let error as TimeoutError {
      #expect(error.duration == .zero)
      #expect("\(error)".contains("was not called at \(#fileID):\(line): a timeout of 0.0 seconds"))
    } catch {
      Issue.record(error)
    }
    let clock = ManualClock()
    let task = Task {
      try await withAsyncThrowingValue(timeout: .seconds(5), clock: clock, line: line) {
        FakeSDK(.never).save($0)
      }
    }
    await clock.waitForSleeper()
    clock.advance(by: .seconds(5))
    let result = await task.result
    #expect { try result.get() } throws: { error in
      "\(error)".contains("did not answer the call at \(#fileID):\(line) within 5.0 seconds")
    }
  }
}
