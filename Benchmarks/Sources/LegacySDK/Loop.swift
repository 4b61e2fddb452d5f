import Synchronization

/// One thread, that of the caller of ``run(_:)``, for everything: tasks, actors, and the SDK's callbacks when
/// nothing else is left to do. A hop between threads costs more than what is measured here, and would
/// hide it.
public final class Loop: TaskExecutor {
  /// For actors that live on this loop.
  public final class Serial: SerialExecutor {
    fileprivate let jobs = Queue<UnownedJob>()

    public func enqueue(_ job: consuming ExecutorJob) {
      jobs.append(UnownedJob(job))
    }
  }

  public let serial = Serial()
  private let jobs = Queue<UnownedJob>()
  private let callbacks = Queue<@Sendable () -> Void>()

  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    jobs.append(UnownedJob(job))
  }

  /// How the SDK calls back.
  public func callLater(_ callback: @escaping @Sendable () -> Void) {
    callbacks.append(callback)
  }

  /// Runs `body` in a task, to its end and that of all tasks and callbacks on this loop.
  ///
  /// Returns nothing: to be generic over a result would take as long as a good part of a call, at each turn.
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
      serial.jobs.takeAll { $0.runSynchronously(on: serial.asUnownedSerialExecutor()) }
      guard jobs.isEmpty, serial.jobs.isEmpty else { continue }
      if let result = end.result.withLock({ $0 }), callbacks.isEmpty { return try result.get() }
      callbacks.takeAll { $0() }
    }
  }
}

private final class End: Sendable {
  let result = Mutex<Result<Void, any Error>?>(nil)
}
