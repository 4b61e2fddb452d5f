import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Each test takes the library's locks again at a moment when a held lock would deadlock, until the
/// watchdog.
@Suite("No lock held", .watchdog) struct LockTests {
  @Test(arguments: stories)
  func `the library may be called in the middle of what it does`(_ story: Story) async throws {
    try await story.play()
  }

  private static let stories = [
    Story(
      holds: "a task is resumed by an answer with no lock held",
      meanwhile: (.inResumption, .answer),
      steps: [.run, .answer, .run],
      ends: .delivered,
      surplus: (1, 0),
      reports: 1
    ),
    Story(
      holds: "a task is resumed by a cancellation with no lock of the library held",
      forms: BridgeForm.cancellable,
      meanwhile: (.inResumption, .answer),
      steps: [.run, .cancel, .run],
      ends: .cancelled,
      surplus: (1, 0),
      forwards: 1
    ),
    Story(
      holds: "a drop while the task waits ends the wait, and resumes the task with no lock held",
      forms: BridgeForm.cancellable + [.void],
      meanwhile: (.inResumption, .cancel),
      steps: [.run, .drop, .run],
      ends: .dropped
    ),
    Story(
      holds: "onDiscard may call the completion again",
      forms: BridgeForm.all.filter(\.carriesValue),
      meanwhile: (.inOnDiscard, .answer),
      steps: [.run, .answer, .answer, .run],
      ends: .delivered,
      surplus: (2, 0),
      reports: 2
    ),
    Story(
      holds: "an error from operation wins over an answer inside it; onDiscard may answer again",
      forms: BridgeForm.throwing.filter(\.carriesValue),
      sdk: .insideTheCall,
      operation: .callsSDKAndThrows,
      meanwhile: (.inOnDiscard, .answer),
      steps: [.run],
      ends: .refused,
      surplus: (2, 0),
      reports: 1
    ),
    Story(
      holds: "onCancel may call the completion",
      forms: BridgeForm.cancellable,
      meanwhile: (.inOnCancel, .answer),
      steps: [.run, .cancel, .run],
      ends: .cancelled,
      unlessAsked: .delivered,
      forwards: 1
    ),
  ]

  @Test(arguments: BridgeForm.all)
  func `an SDK may answer under the lock that its cancel() takes, during a cancellation`(
    form: BridgeForm
  ) {
    let call = TestCall(form, .onDemandUnderItsLock)
    let (backend, executor, task) = (call.backend, call.executor, call.task)
    call.run()
    let holdsLock = Gate()
    let isCancelled = Gate()
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

  @Test
  func `the report handler may be replaced from inside itself, and used when one is released`()
    async
  {
    await #expect(processExitsWith: .success) {
      let (calls, released) = (Protected(0), Protected(0))
      do {
        let captured = OnRelease {
          _ = RuntimeIssue.handler
          released.withLock { $0 += 1 }
        }
        RuntimeIssue.handler = { _ in withExtendedLifetime(captured) {} }
      }
      RuntimeIssue.handler = { _ in
        RuntimeIssue.handler = { _ in calls.withLock { $0 += 1 } }
      }
      #expect(released.withLock { $0 } == 1)
      await withAsyncValue {
        $0(); $0(); $0()
      }
      #expect(calls.withLock { $0 } == 1)
    }
  }

  @Test func `the lock of all deadlines is not held when a timeout wakes its task`() async {
    var wakes = 0
    // A timeout that comes before the task sleeps does not wake it.
    while wakes == 0 {
      let call = TestCall(.result, .never, Watch(timeout: .milliseconds(1)))
      call.executor.onEnqueue { _ = Deadlines.all.count }
      await call.runUntil(BridgeForm.result.timedOut(call.watch))
      wakes = call.executor.jobCount - 1
    }
  }
}
