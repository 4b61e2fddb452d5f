import FakeCallbackSDK

/// An actor whose jobs run when a test says so, on the thread that says so; and those of the code
/// that its tasks call off the actor, if they prefer its executor.
actor HandDrivenActor {
  nonisolated let executor = HandDrivenExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
}

final class HandDrivenExecutor: SerialExecutor, TaskExecutor {
  private let jobs = Protected(JobQueue())

  var isIdle: Bool { jobs.withLock { $0.isEmpty } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func runUntilIdle() {
    while let job = jobs.withLock({ $0.next() }) {
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(),
        taskExecutor: asUnownedTaskExecutor()
      )
    }
  }

  /// Only the thread that runs the jobs asks.
  func checkIsolated() {}
}
