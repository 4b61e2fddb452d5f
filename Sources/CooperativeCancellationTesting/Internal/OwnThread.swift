#if canImport(Dispatch)
  private import Dispatch

  /// Runs a task, and what it calls off the main actor, on its own thread, so that one that blocks
  /// takes none from the pool.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  private final class OwnThread: TaskExecutor {
    let queue = DispatchQueue(label: "CooperativeCancellationTesting")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif

/// Starts a task on a separate thread where the system supports that, and otherwise on the pool.
///
/// - Returns: The task, and a function that runs its argument on that thread, while the task does
///   not.
@discardableResult
func startOnOwnThread(
  _ body: @escaping @Sendable @concurrent () async throws -> Void,
  then completion: @escaping @Sendable (Result<Void, any Error>) -> Void = { _ in }
) -> (task: Task<Void, Never>, enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void) {
  @Sendable @concurrent func run() async {
    do {
      completion(.success(try await body()))
    } catch {
      completion(.failure(error))
    }
  }
  #if canImport(Dispatch)
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      let thread = OwnThread()
      return (Task(executorPreference: thread, operation: run), { thread.queue.async(execute: $0) })
    }
  #endif
  return (Task(operation: run), { $0() })
}

/// Pauses the current thread for a moment.
func pauseThread() {
  #if canImport(Dispatch)
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
  #endif
}
