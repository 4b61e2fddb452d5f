#if canImport(Dispatch)
  private import Dispatch

  /// Runs a task, and what it calls off the main actor, on a separate thread, so that a wrapper that blocks
  /// does not take a thread from the pool, which the test needs.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private final class OwnThread: TaskExecutor {
    private let queue = DispatchQueue(label: "CooperativeCancellationTesting")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif

/// Starts a task on a separate thread where the system supports that, and otherwise on the pool.
@discardableResult
func startOnOwnThread(
  _ body: @escaping @Sendable @concurrent () async -> Void
) -> Task<Void, Never> {
  #if canImport(Dispatch)
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      return Task(executorPreference: OwnThread(), operation: body)
    }
  #endif
  return Task(operation: body)
}
