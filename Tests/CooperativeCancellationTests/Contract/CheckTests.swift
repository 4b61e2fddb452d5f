import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("G1 check before, G3 prompt, G4 check after", .watchdog)
struct CheckTests {
  @Test(arguments: BridgeForm.all)
  func `a task that is not cancelled gets what the SDK answers`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    #expect(call.ending == nil)
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.watch.events == [.operation])
    #expect(call.backend.counts == .init(started: 1, completed: 1))
  }

  @Test(arguments: BridgeForm.throwing)
  func `an error from the SDK is thrown unchanged`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.answer(.failure(.failed))
    call.run()
    #expect(call.ending == form.failed(call.watch))
  }

  @Test(arguments: BridgeForm.checking, CancellationResponse.allCases)
  func `a task that is already cancelled does not call the SDK`(
    form: BridgeForm,
    response: CancellationResponse
  ) {
    let call = TestCall(form, .insideTheCall, Watch(response: response))
    call.cancel()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.events == [])
    #expect(call.backend.counts == .init())
  }

  @Test(arguments: BridgeForm.checking)
  func `a cancelled wait ends although the SDK never answers`(form: BridgeForm) {
    let call = TestCall(form, .never)
    call.run()
    #expect(call.ending == nil)
    call.cancel()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.backend.counts == .init(started: 1, cancelled: 1))
  }

  @Test(arguments: BridgeForm.checking)
  func `a cancellation while operation runs ends the wait`(form: BridgeForm) {
    let call = TestCall(form, .never, Watch(afterSDK: cancelThisTask))
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.backend.counts == .init(started: 1, cancelled: 1))
  }

  @Test(arguments: BridgeForm.checking)
  func `a value is not delivered to a task that is cancelled before it resumes`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.answer()
    call.cancel()
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.forwarded == 0)
  }

  @Test(arguments: BridgeForm.checking)
  func `a value is not delivered if the callback cancels its own task inside operation`(
    form: BridgeForm
  ) {
    let call = TestCall(form, .insideTheCall, Watch(beforeSDK: cancelThisTask))
    call.run()
    #expect(call.ending == form.cancelled)
    #expect(call.watch.discarded == form.values(1))
    #expect(call.watch.forwarded == 0)
  }

  @Test
  func `a value is not delivered to a cancelled task if there is no onDiscard either`() async {
    let throwing = Task {
      try await withAsyncThrowingValue {
        (completion: @escaping @Sendable (Result<Int, any Error>) -> Void) in
        cancelThisTask()
        completion(.success(1))
      }
    }
    let mapped = Task {
      await withAsyncResult(mapError: { $0 }) {
        (completion: @escaping @Sendable (Result<Int, any Error>) -> Void) in
        cancelThisTask()
        completion(.success(1))
      }
    }
    let fallback = Task {
      await withAsyncValue(fallback: 0) { completion in
        cancelThisTask()
        completion(1)
      }
    }
    await #expect(throws: CancellationError.self) { try await throwing.value }
    await #expect(throws: CancellationError.self) { try await mapped.value.get() }
    #expect(await fallback.value == 0)
  }

  @Test(arguments: BridgeForm.failing)
  func `an error that the SDK reported first is delivered to a cancelled task`(form: BridgeForm) {
    let call = TestCall(form, .onDemand)
    call.run()
    call.backend.answer(.failure(.failed))
    call.cancel()
    call.run()
    #expect(call.ending == form.failed(call.watch))
    #expect(call.watch.forwarded == 0)
  }
}

/// Cancels the task that runs this.
@Sendable func cancelThisTask() {
  withUnsafeCurrentTask { $0?.cancel() }
}
