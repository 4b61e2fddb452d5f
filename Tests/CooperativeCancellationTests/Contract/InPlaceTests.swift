import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("In place, and no Sendable requirements", .watchdog) struct InPlaceTests {
  @Test(arguments: BridgeForm.all)
  func `an answer inside operation costs no suspension`(form: BridgeForm) {
    let call = TestCall(form, .insideTheCall)
    call.run()
    #expect(call.ending == form.delivered)
    #expect(call.executor.jobCount == 1)
  }

  @Test(arguments: BridgeForm.all)
  func `a task on an actor sleeps without leaving it`(form: BridgeForm) {
    let actor = HandDrivenActor()
    let call = TestCall(form, .onDemand, on: actor)
    call.executor.runUntilIdle()
    actor.executor.runUntilIdle()
    #expect(call.watch.events == [.operation])
    #expect(call.executor.isIdle, "it sleeps where it was")
    call.backend.answer()
    call.run()
    #expect(call.ending == form.delivered)
  }

  @Test(arguments: BridgeForm.all, Place.allCases)
  func `operation and onCancel run on the calling actor`(form: BridgeForm, place: Place) async {
    guard let actor = place.makeActor() else { return }
    let look: @Sendable () -> Void = { actor.preconditionIsolated() }
    let isWaiting = Signal()
    let watch = Watch(beforeSDK: look, afterSDK: { isWaiting.fire() }, inOnCancel: look)
    let isCancelled = form.kind != .unconditional
    let task = Task {
      let backend = Backend(isCancelled ? .confirmingCancellation : .later)
      return await form.run(backend, watch, on: actor)
    }
    await isWaiting.wait()
    task.cancel()
    _ = await task.value
    #expect(watch.events.prefix(2) == (isCancelled ? [.operation, .onCancel] : [.operation]))
  }

  /// The closure of a cancellation handler is on the actor only if it mentions the parameter.
  @Test @MainActor
  func `a wait in a closure stays on the actor if it is given the isolation`() async throws {
    func wait(isolation: isolated (any Actor)? = #isolation) async throws {
      try await withTaskCancellationHandler {
        try await withCancellableThrowingContinuation(isolation: isolation) { continuation in
          MainActor.preconditionIsolated()
          continuation.resume()
        }
      } onCancel: {
      }
      await withTaskCancellationHandler {
        await withCancellableContinuation(fallback: (), isolation: isolation) { continuation in
          MainActor.preconditionIsolated()
          continuation.resume()
        }
      } onCancel: {
      }
      await withTaskCancellationHandler {
        await withUncancellableContinuation(isolation: isolation) { continuation in
          MainActor.preconditionIsolated()
          continuation.resume()
        }
      } onCancel: {
      }
    }
    try await wait()
  }

  @Test @MainActor
  func `a value that is not Sendable belongs to the caller afterwards`() async throws {
    let sdk = FakeSDK(.later)
    let session = try await withCancellableThrowingContinuation { continuation in
      sdk.openSession { continuation.resume(with: $0) }
    }
    session.isOpen = false
    let isOpen = await Task.detached { [session = consume session] in session.isOpen }.value
    #expect(!isOpen)
  }
}
