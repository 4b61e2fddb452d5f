import CooperativeCancellation
import Foundation

/// A child process through `Process.terminationHandler`.
enum ChildProcess {
  static func cancelled() async throws -> Scene {
    try await Scene(
      "A child process that sleeps for 2 s, cancelled after 0.5 s (Process.terminationHandler)",
      byHand: { "exit status \(try await runByHand(sleep(noting: $0)))" },
      bridged: { timeline in
        "exit status \(try await run(sleep(noting: timeline), noting: timeline))"
      },
      cancel: .after(.milliseconds(500)),
      isOver: { $0.contains("child ended") }
    )
  }

  static func timedOut() async throws -> Scene {
    try await Scene(
      "The same child process, given 0.5 s",
      byHand: { timeline in
        let status = try await withTimeoutByHand(.milliseconds(500)) {
          try await runByHand(sleep(noting: timeline))
        }
        return "exit status \(status)"
      },
      bridged: { timeline in
        let child = sleep(noting: timeline)
        let status = try await run(child, timeout: .milliseconds(500), noting: timeline)
        return "exit status \(status)"
      },
      cancel: .never,
      isOver: { $0.contains("child ended") }
    )
  }

  private static func runByHand(_ child: Child) async throws -> Int32 {
    try await byHandHelper { completion in
      child.onEnd { completion(.success($0)) }
      do {
        try child.start()
      } catch {
        completion(.failure(error))
      }
    }
  }

  private static func run(
    _ child: Child,
    timeout: Timeout? = nil,
    noting timeline: Timeline
  ) async throws -> Int32 {
    try await withAsyncThrowingValue(timeout: timeout) { completion in
      child.onEnd { completion(.success($0)) }
      try child.start()
    } onCancel: {
      timeline.note("SDK told: terminate()")
      child.process.terminate()
    }
  }

  private struct Child {
    let process = Process()
    let timeline: Timeline

    /// Starts the child with SIGTERM unblocked.
    ///
    /// Dispatch's threads block signals. On Linux, a child process inherits the signal mask of the thread that starts
    /// it, and would ignore `terminate()`.
    func start() throws {
      var signals = sigset_t()
      var before = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGTERM)
      pthread_sigmask(SIG_UNBLOCK, &signals, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try process.run()
    }

    func onEnd(_ report: @escaping @Sendable (Int32) -> Void) {
      process.terminationHandler = { [timeline] process in
        let how = process.terminationReason == .exit ? "status" : "signal"
        timeline.note("child ended: \(how) \(process.terminationStatus)")
        report(process.terminationStatus)
      }
    }
  }

  private static func sleep(noting timeline: Timeline) -> Child {
    let child = Child(timeline: timeline)
    child.process.executableURL = URL(filePath: "/bin/sleep")
    child.process.arguments = ["2"]
    timeline.note("child asked to run")
    return child
  }
}
