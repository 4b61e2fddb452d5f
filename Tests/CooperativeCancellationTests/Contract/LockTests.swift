import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// Each test takes the library's locks again at a moment when a held lock would deadlock, until the watchdog.
@Suite("No lock held", .watchdog) struct LockTests {
  @Test(arguments: stories)
  func `it may be called in the middle of what it does`(_ story: Story) async throws {
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
