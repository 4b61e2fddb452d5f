import CooperativeCancellation
import FakeCallbackSDK

/// One bridged call in a task of its own, on the test's thread.
struct TestCall: ~Copyable {
  let backend: Backend
  let watch: Watch
  let executor = ManualExecutor()
  private let task: Task<Void, Never>
  private let result = Result()

  private final class Result: Sendable {
    let ending = Protected<Ending?>(nil)
  }

  /// Makes the task; it has not begun to run.
  init(_ form: BridgeForm, _ behavior: Behavior, _ watch: Watch = Watch()) {
    let sdk = FakeSDK(behavior)
    backend = sdk.backend
    self.watch = watch
    task = Task(executorPreference: executor) { [result] in
      let ending = await form.run(sdk, watch)
      result.ending.withLock { $0 = ending }
    }
  }

  /// Runs the task until it has ended or sleeps.
  func run() {
    executor.runUntilIdle()
  }

  /// Waits until the task has been woken by another thread.
  func becomesReady() async {
    while executor.isIdle { await Task.yield() }
  }

  func cancel() {
    task.cancel()
  }

  /// How the call ended; `nil` while it waits.
  var ending: Ending? { result.ending.withLock { $0 } }
}
