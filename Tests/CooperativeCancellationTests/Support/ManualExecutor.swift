import FakeCallbackSDK

/// Runs tasks on the test's own thread, when the test says so. What has not happened when it is
/// idle will not happen by itself, so a test can say "still waiting" without waiting.
final class ManualExecutor: TaskExecutor {
  private struct State {
    var jobs = JobQueue()
    var jobCount = 0
    var onEnqueue: @Sendable () -> Void = {}
  }

  private let state = Protected(State())

  /// How many jobs it has been given: a task that never suspended is one.
  var jobCount: Int { state.withLock { $0.jobCount } }

  var isIdle: Bool { state.withLock { $0.jobs.isEmpty } }

  /// Runs `body` whenever a task becomes ready, on the thread that resumes it, in the middle of
  /// that.
  func onEnqueue(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onEnqueue = body } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let onEnqueue = state.withLock { state in
      state.jobs.append(job)
      state.jobCount += 1
      return state.onEnqueue
    }
    onEnqueue()
  }

  func runUntilIdle() {
    while let job = state.withLock({ $0.jobs.next() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
