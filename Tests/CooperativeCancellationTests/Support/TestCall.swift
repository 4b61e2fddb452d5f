import CooperativeCancellation
import CooperativeCancellationTesting
import FakeCallbackSDK
import Testing

/// One bridged call in a task of its own, on an actor or on none, on the test's thread.
struct TestCall: ~Copyable {
  let backend: Backend
  let watch: Watch
  /// Takes the place of the global pool.
  let executor = ManualExecutor()
  private let actor: HandDrivenActor?
  let task: Task<Void, Never>
  private let outcome = Outcome()

  private final class Outcome: Sendable {
    let ending = Protected<Ending?>(nil)
  }

  /// Makes the task; it has not begun to run.
  init(
    _ form: BridgeForm,
    _ behavior: Behavior,
    _ watch: Watch = Watch(),
    on actor: HandDrivenActor? = nil,
    onCancellation: @escaping @Sendable () -> Void = {}
  ) {
    let backend = Backend(behavior)
    self.backend = backend
    self.watch = watch
    self.actor = actor
    task = Task(executorPreference: executor) { [outcome] in
      let ending = await withTaskCancellationHandler {
        await form.run(backend, watch, on: actor)
      } onCancel: {
        onCancellation()
      }
      outcome.ending.withLock { $0 = ending }
    }
  }

  /// Runs the task until it has ended or sleeps.
  func run() {
    while !isIdle {
      executor.runUntilIdle()
      actor?.executor.runUntilIdle()
    }
  }

  private var isIdle: Bool { executor.isIdle && actor?.executor.isIdle != false }

  /// Lets the five seconds of a sleeping call run out, and waits until its task has been woken.
  func timeOut(_ clock: ManualClock) async throws {
    try await clock.waitForSleeper(within: .watchdog)
    clock.advance(by: .seconds(5))
    try await clock.waitForWakeUp(within: .watchdog)
    await becomesReady()
  }

  /// Runs the task until it has ended so, even if nothing wakes it: what ends it may come before it
  /// sleeps.
  func runUntil(_ expected: Ending) async {
    while ending == nil {
      run()
      await Task.yield()
    }
    #expect(ending == expected)
  }

  /// Waits until the task has been woken by another thread.
  func becomesReady() async {
    while isIdle { await Task.yield() }
  }

  func cancel() { task.cancel() }

  /// How the call ended; `nil` while it waits.
  var ending: Ending? { outcome.ending.withLock { $0 } }
}

extension BridgeForm {
  /// Calls an SDK on an actor, or on none.
  func run(_ backend: Backend, _ watch: Watch, on actor: isolated (any Actor)?) async -> Ending {
    await run(FakeSDK(backend), watch)
  }
}
