import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// What an SDK, or the code around it, does to a call. Each name continues "The SDK …".
@Suite("Hostile SDKs", .watchdog) struct HostileSDKTests {
  private static let withValue = BridgeForm.all.filter(\.carriesValue)

  @Test(arguments: stories)
  func harms(_ story: Story) async throws { try await story.play() }

  private static let stories = [
    Story(
      holds: "answers inside the cancellation, on its thread",
      meanwhile: (.inCancellation, .answer),
      steps: [.run, .cancel, .run],
      ends: .cancelled,
      unlessAsked: .delivered,
      forwards: 1
    ),
    Story(
      holds: "answers from the deinit of its request, after a cancellation",
      forms: BridgeForm.cancellable,
      meanwhile: (.inRequestRelease, .answer),
      steps: [.run, .cancel, .run],
      ends: .cancelled,
      surplus: (1, 0),
      forwards: 1
    ),
    Story(
      holds: "brings a value whose deinit brings another",
      forms: withValue,
      meanwhile: (.inValueRelease, .answer),
      steps: [.run, .answer, .run],
      ends: .delivered,
      surplus: (1, 0),
      reports: 1
    ),
    Story(
      holds: "answers twice, and onDiscard of the second value cancels the task",
      forms: withValue,
      meanwhile: (.inOnDiscard, .cancel),
      steps: [.run, .answer, .answer, .run],
      ends: .cancelled,
      unlessAsked: .delivered,
      unlessChecked: .delivered,
      surplus: (1, 0),
      reports: 1
    ),
  ]

  @Test(arguments: BridgeForm.all)
  func `answers under the lock that its cancel() takes, during cancellation`(form: BridgeForm) {
    let call = TestCall(form, .onDemandUnderItsLock)
    let (backend, executor, task) = (call.backend, call.executor, call.task)
    call.run()
    let (holdsLock, isCancelled) = (Gate(), Gate())
    backend.hooks.withLock {
      $0.beforeAnswer = {
        holdsLock.open()
        isCancelled.pass()
      }
    }
    raceTwo { side in
      if side == 1 { return backend.answer() }
      holdsLock.pass()
      task.cancel()
      isCancelled.open()
      executor.runUntilIdle()
    }
    call.run()
    let heeds = form.kind != .unconditional
    #expect(call.ending == (heeds ? form.cancelled : form.delivered))
    #expect(call.watch.forwarded == (heeds ? 1 : 0))
    #expect(call.watch.discarded == (heeds ? form.values(1) : 0))
  }
}
