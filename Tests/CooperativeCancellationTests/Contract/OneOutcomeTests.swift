import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("G2 one outcome, G5 nothing lost", .watchdog)
struct OneOutcomeTests {
  struct Refusal: Error {}

  @Test(arguments: BridgeForm.all)
  func `after the first answer, nothing changes the outcome`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.answer()
    call.backend.answer(.failure(.failed))
    call.backend.answer()
    call.backend.drop()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == form.values(1, failures: 1))
    call.cancel()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.checking)
  func `after a cancellation, an answer changes nothing and its value is discarded`(
    form: BridgeForm
  ) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.cancel()
    call.backend.answer()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.discarded == form.values(1))
  }

  @Test(arguments: BridgeForm.checking)
  func `a value that comes after the wait has ended is discarded`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.cancel()
    call.run()
    #expect(call.watch.discarded == 0)
    call.backend.answer()
    #expect(call.watch.discarded == form.values(1))
    #expect(call.ending == form.cancelled)
  }

  @Test(arguments: BridgeForm.throwing)
  func `an error that comes too late is dropped`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.cancel()
    call.backend.answer(.failure(.failed))
    call.run()
    #expect(call.ending == .cancelled)
    #expect(call.watch.discarded == form.values(0, failures: 1))
  }

  @Test(arguments: BridgeForm.refusing)
  func `an error from operation wins over an answer inside it`(form: BridgeForm) {
    let call = TestCall(form, .insideTheCall, Watch(afterSDK: { throw Refusal() }))
    call.run()
    #expect(call.ending == .other("Refusal()"))
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.forwarded == 0)
    #expect(call.watch.reports == [])
  }

  @Test(arguments: BridgeForm.refusing)
  func `an error from operation wins over a later answer, and only a second answer is misuse`(
    form: BridgeForm
  ) {
    let call = TestCall(form, .onDemand, Watch(afterSDK: { throw Refusal() }))
    call.run()
    #expect(call.ending == .other("Refusal()"))
    call.backend.answer()
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.reports == [])
    call.backend.answer()
    #expect(call.watch.discarded == form.values(2))
    #expect(call.watch.reports == form.reports(again: 1))
  }

  @Test(arguments: BridgeForm.refusing)
  func `a completion that is dropped after operation threw is not misuse`(form: BridgeForm) {
    let call = TestCall(form, .dropping, Watch(afterSDK: { throw Refusal() }))
    call.run()
    #expect(call.ending == .other("Refusal()"))
    #expect(call.watch.reports == [])
  }

  @Test(arguments: BridgeForm.all)
  func `nothing keeps a value alive that is neither delivered nor kept by the SDK`(
    form: BridgeForm
  ) {
    let call = TestCall(form, .inside(.success, .success, .success))
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == form.values(2))
    #expect(call.backend.valuesAlive == 0)
  }

  @Test
  func `the closures' captures are released when the SDK releases the completion`() {
    final class Captured: Sendable {}
    weak var captured: Captured?
    let backend: Backend
    do {
      let object = Captured()
      captured = object
      let call = TestCall(.result, .onDemand, Watch(inOnDiscard: { _ = object }))
      call.run()
      call.cancel()
      call.run()
      backend = call.backend
    }
    #expect(captured != nil)
    backend.drop()
    #expect(captured == nil)
  }
}
