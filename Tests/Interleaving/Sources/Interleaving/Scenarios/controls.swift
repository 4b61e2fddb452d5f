import Foundation

// Scenarios that are wrong on purpose. The search must find what is wrong, or it proves nothing
// about the others.

extension Scenario {
  static let controls = [
    lostWakeUp, deadlock, relock, wakeUpUnderLock, releaseUnderLock, keptValue, lostMemory, trap,
    endlessLoop,
    missingOutcome, otherOutcome,
  ]

  /// A wrapper as many are written: if the handler runs before the continuation is stored, it finds
  /// nothing.
  private final class HandWrittenWrapper: @unchecked Sendable {
    private let lock = NSLock()
    private var waiting: CheckedContinuation<Void, any Error>?

    private func take() -> CheckedContinuation<Void, any Error>? {
      lock.withLock { waiting.take() }
    }

    func wait() async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          lock.withLock { waiting = continuation }
        }
      } onCancel: {
        take()?.resume(throwing: CancellationError())
      }
    }
  }

  private static let lostWakeUp = Scenario(
    "control: a hand-written wrapper misses the cancellation",
    outcomes: ["cancelled", ""],
    fault: "caller never ended"
  ) { run in
    let wrapper = HandWrittenWrapper()
    let caller = run.task("caller") {
      do { try await wrapper.wait() } catch { run.saw("cancelled") }
    }
    run.thread("canceller") { caller.cancel() }
  }

  private static let deadlock = Scenario(
    "control: two locks in two orders",
    outcomes: [""],
    fault: "deadlock: first waits before it takes lock"
  ) { run in
    let (a, b) = (NSLock(), NSLock())
    run.thread("first") { a.withLock { b.withLock {} } }
    run.thread("second") { b.withLock { a.withLock {} } }
  }

  private static let relock = Scenario(
    "control: a lock in itself",
    outcomes: [""],
    fault: "a thread locks what it holds"
  ) { run in
    let lock = NSLock()
    run.thread("thread") { lock.withLock { lock.withLock {} } }
  }

  private static let wakeUpUnderLock = Scenario(
    "control: a task is woken under a lock",
    outcomes: [""],
    fault: "a task was woken under a lock of the library"
  ) { run in
    let lock = Lock()
    run.task("task") {
      await withCheckedContinuation { continuation in
        run.thread("SDK") { lock.locked { continuation.resume() } }
      }
    }
  }

  private static let releaseUnderLock = Scenario(
    "control: a value is released under a lock",
    outcomes: [""],
    fault: "release of value under a lock of the library"
  ) { run in
    let lock = Lock()
    let value = Shared<Tracked?>(Tracked("value", in: run))
    run.thread("SDK") { lock.locked { value.value = nil } }
  }

  private static let keptValue = Scenario(
    "control: a value is kept",
    outcomes: [""],
    fault: "1 values are never released"
  ) { run in
    run.thread("SDK") { _ = Unmanaged.passRetained(Tracked("value", in: run)) }
  }

  private static let lostMemory = Scenario(
    "control: memory is kept",
    outcomes: [""],
    fault: "bytes are never freed"
  ) { run in
    run.thread("SDK") {
      let cycle = Shared<Any?>(nil)
      cycle.value = cycle
    }
  }

  private static let trap = Scenario(
    "control: a trap",
    outcomes: [""],
    fault: "in second, with --replay \"0 1\""
  ) { run in
    let count = Shared(0)
    run.thread("first") {
      count.value = 1
      run.step("in between")
      count.value = 0
    }
    run.thread("second") { precondition(count.value == 0) }
  }

  private static let endlessLoop = Scenario(
    "control: an endless loop",
    outcomes: [""],
    fault: "perhaps an endless loop"
  ) { run in
    run.thread("thread") { while true { run.step("again") } }
  }

  private static let missingOutcome = Scenario(
    "control: an outcome that cannot occur",
    outcomes: ["first, second", "second, first", "neither"],
    fault: "no schedule had the outcome “neither”"
  ) { run in
    run.thread("first") { run.saw("first") }
    run.thread("second") { run.saw("second") }
  }

  private static let otherOutcome = Scenario(
    "control: an outcome that must not occur",
    outcomes: ["first, second"],
    fault: "an outcome that it must not have"
  ) { run in
    run.thread("first") { run.saw("first") }
    run.thread("second") { run.saw("second") }
  }

  /// A lock that counts as the library's, because this program's own code locks it.
  private final class Lock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

    init() { pthread_mutex_init(mutex, nil) }

    deinit {
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    func locked(_ body: () -> Void) {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      body()
    }
  }
}
