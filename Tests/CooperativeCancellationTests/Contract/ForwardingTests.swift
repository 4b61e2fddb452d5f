import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("G7 forwarding", .watchdog)
struct ForwardingTests {
  @Test(arguments: BridgeForm.all)
  func `a cancellation is forwarded once, after operation, however often it comes`(form: BridgeForm)
  {
    let call = TestCall(form, .onDemand)
    call.run()
    #expect(call.watch.events == [.operation])
    call.cancel()
    call.cancel()
    // Not from inside the runtime's cancellation handler: the task has not run yet.
    #expect(call.watch.forwarded == 0)
    call.run()
    call.cancel()
    call.run()
    #expect(call.watch.events == [.operation, .onCancel])
    #expect(call.backend.counts == .init(started: 1, cancelled: 1))
    call.backend.answer()
    call.run()
    #expect(call.watch.forwarded == 1)
  }

  @Test(arguments: BridgeForm.all)
  func `a cancellation is not forwarded if the SDK answered first`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.answer()
    call.cancel()
    call.run()
    #expect(call.ending != nil)
    #expect(call.watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.all)
  func `a cancellation is forwarded although the SDK answers after it, before the task resumes`(
    form: BridgeForm
  ) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.cancel()
    call.backend.answer()
    call.run()
    #expect(call.ending == (form.kind == .unconditional ? form.delivered : form.cancelled))
    #expect(call.watch.forwarded == 1)
  }

  @Test(arguments: BridgeForm.checking)
  func `a cancellation is not forwarded if operation threw or was not called`(form: BridgeForm) {
    let call = TestCall(form, .never)
    call.cancel()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.all)
  func `a request whose cancel() answers at once is harmless`(form: BridgeForm) {
    let call = TestCall(form, .confirmingCancellation)
    call.run()
    call.cancel()
    call.run()
    #expect(call.ending == (form.kind == .unconditional ? form.delivered : form.cancelled))
    #expect(call.watch.reports == [])
    #expect(call.backend.counts == .init(started: 1, cancelled: 1, completed: 1))
  }

  @Test(arguments: BridgeForm.unconditional)
  func `a wait that only the value can end goes on after a cancellation`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.cancel()
    call.run()
    #expect(call.ending == nil)
    #expect(call.watch.events == [.operation, .onCancel])
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.discarded == 0)
  }

  @Test
  func `onCancel runs in the cancelled task, where a bridge does not call the SDK`() async {
    let sdk = FakeSDK(.never)
    let next = FakeSDK(.insideTheCall)
    let nextBackend = next.backend
    let task = Task {
      do {
        _ = try await withAsyncThrowingValue {
          sdk.loadUser(id: "1", completion: $0)
        } onCancel: { _ in
          #expect(Task.isCancelled)
        }
      } catch {
        return try await withAsyncThrowingValue { next.loadUser(id: "2", completion: $0) }
      }
      throw SDKError.failed
    }
    task.cancel()
    let result = await task.result
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(nextBackend.counts.started == 0)
  }
}
