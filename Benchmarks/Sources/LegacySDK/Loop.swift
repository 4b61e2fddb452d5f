import Synchronization

/// One thread, that of the caller of ``run(_:)``, for all tasks and actors, and for the SDK's
/// callbacks when the loop is idle. A hop between threads costs more than a call and would hide its
/// cost.
public final class Loop: TaskExecutor {
  /// For actors on this loop.
  public final class Serial: SerialExecutor {
    fileprivate let jobs = Queue<UnownedJob>()

    public func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }
  }

  public let serial = Serial()
  private let jobs = Queue<UnownedJob>()
  private let callbacks = Queue<@Sendable () -> Void>()

  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// The SDK calls back through this.
  public func callLater(_ callback: @escaping @Sendable () -> Void) { callbacks.append(callback) }

  /// Runs `body` in a task until the task and all others on this loop have ended, and all callbacks
  /// have run.
  ///
  /// Returns nothing, because a generic result would cost a good part of a call at each turn.
  public func run(_ body: @escaping @Sendable () async throws -> Void) throws {
    let end = End()
    Task(executorPreference: self) {
      do {
        try await body()
        end.result.withLock { $0 = .success(()) }
      } catch {
        end.result.withLock { $0 = .failure(error) }
      }
    }
    while true {
      jobs.takeAll { $0.runSynchronously(on: asUnownedTaskExecutor()) }
      serial.jobs.takeAll {
        // With the preferred executor of the tasks. Otherwise, the runtime enqueues a task anew
        // wherever it may change its executor, even if it does not.
        $0.runSynchronously(
          isolatedTo: serial.asUnownedSerialExecutor(),
          taskExecutor: asUnownedTaskExecutor()
        )
      }
      guard jobs.isEmpty, serial.jobs.isEmpty else { continue }
      if let result = end.result.withLock({ $0 }), callbacks.isEmpty { return try result.get() }
      callbacks.takeAll { $0() }
    }
  }
}

private final class End: Sendable {
  let result = Mutex<Result<Void, any Error>?>(nil)
}
