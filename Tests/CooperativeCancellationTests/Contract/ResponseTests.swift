import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("whenCancelled:", .watchdog)
struct ResponseTests {
  @Test(arguments: BridgeForm.checking, [CancellationResponse.waitForCallback, .deliverResult])
  func `the cancellation is forwarded at once and the wait goes on until the SDK answers`(
    form: BridgeForm,
    response: CancellationResponse
  ) {
    let call = TestCall(form, .onDemand, Watch(response: response))
    call.run()
    call.cancel()
    call.run()
    #expect(call.ending == nil)
    #expect(call.watch.events == [.operation, .onCancel])
    call.backend.answer()
    call.run()
    #expect(call.ending == (response == .deliverResult ? form.delivered : form.cancelled))
    #expect(call.watch.discarded == (response == .deliverResult ? 0 : form.values(1)))
    #expect(call.watch.forwarded == 1)
    #expect(call.watch.reports == [])
  }

  @Test(arguments: BridgeForm.failing)
  func `waitForCallback: an SDK error is thrown before a cancellation, but not after it`(
    form: BridgeForm
  ) {
    let first = TestCall(form, .onDemand, Watch(response: .waitForCallback))
    first.run()
    first.backend.answer(.failure(.failed))
    first.cancel()
    first.run()
    #expect(first.ending == form.failed(first.watch))
    #expect(first.watch.forwarded == 0)

    let second = TestCall(form, .onDemand, Watch(response: .waitForCallback))
    second.run()
    second.cancel()
    second.run()
    second.backend.answer(.failure(.failed))
    second.run()
    #expect(second.ending == .cancelled)
    #expect(second.watch.forwarded == 1)
  }

  @Test(arguments: BridgeForm.checking)
  func `waitForCallback: a drop after the cancellation ends the wait as cancelled`(form: BridgeForm)
  {
    let call = TestCall(form, .onDemand, Watch(response: .waitForCallback))
    call.run()
    call.cancel()
    call.run()
    call.backend.drop()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.reports == [])
  }

  @Test(arguments: BridgeForm.checking)
  func `waitForCallback: the check after applies`(form: BridgeForm) {
    let call = TestCall(form, .onDemand, Watch(response: .waitForCallback))
    call.run()
    call.backend.answer()
    call.cancel()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.throwing)
  func `deliverResult: an error after the cancellation is delivered`(form: BridgeForm) {
    let call = TestCall(form, .onDemand, Watch(response: .deliverResult))
    call.run()
    call.cancel()
    call.run()
    call.backend.answer(.failure(.failed))
    call.run()
    #expect(call.ending == form.failed(call.watch))
  }

  @Test(arguments: BridgeForm.checking)
  func `deliverResult: a drop after the cancellation ends the wait as a dropped completion`(
    form: BridgeForm
  ) {
    let call = TestCall(form, .onDemand, Watch(response: .deliverResult))
    call.run()
    call.cancel()
    call.run()
    call.backend.drop()
    call.run()
    #expect(
      call.ending == (form.kind == .throwing ? .dropped(line: call.watch.line) : .fallback)
    )
    #expect(call.watch.reports == (form.kind == .throwing ? [] : [.completionDropped]))
  }

  @Test(arguments: BridgeForm.checking)
  func `deliverResult: an answer inside operation is delivered to a task that cancels itself`(
    form: BridgeForm
  ) {
    let watch = Watch(response: .deliverResult, beforeSDK: cancelThisTask)
    let call = TestCall(form, .insideTheCall, watch)
    call.run()
    #expect(call.ending == form.delivered)
    #expect(watch.discarded == 0)
    #expect(watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.checking)
  func `deliverResult: a value that came first is delivered to a cancelled task`(form: BridgeForm) {
    let call = TestCall(form, .onDemand, Watch(response: .deliverResult))
    call.run()
    call.backend.answer()
    call.cancel()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == 0)
    #expect(call.watch.forwarded == 0)
  }
}
