import CooperativeCancellation
import Foundation

/// A child process through `Process.terminationHandler`.
enum ChildProcess {
  static func cancelled() async throws {
    try await play(
      "A child process that sleeps for 2 s, cancelled after 0.5 s (Process.terminationHandler)",
      byHand: { try await runByHand(Child(noting: $0)) },
      bridged: { try await run(Child(noting: $0)) },
      cancelAfter: .milliseconds(500),
      until: "child ended"
    )
  }

  static func timedOut() async throws {
    try await play(
      "The same child process, given 0.5 s",
      byHand: { timeline in
        try await withTimeoutByHand(.milliseconds(500)) {
          try await runByHand(Child(noting: timeline))
        }
      },
      bridged: { try await run(Child(noting: $0), timeout: .milliseconds(500)) },
      until: "child ended"
    )
  }

  private static func runByHand(_ child: Child) async throws -> String {
    try await byHandHelper { completion in
      do {
        try child.start(completion)
      } catch {
        completion(.failure(error))
      }
    }
  }

  private static func run(_ child: Child, timeout: Timeout? = nil) async throws -> String {
    try await withAsyncThrowingValue(timeout: timeout) { completion in
      try child.start(completion)
    } onCancel: {
      child.timeline.note("SDK told: terminate()")
      child.process.terminate()
    }
  }

  private struct Child {
    let process = Process()
    let timeline: Timeline

    init(noting timeline: Timeline) {
      self.timeline = timeline
      process.executableURL = URL(filePath: "/bin/sleep")
      process.arguments = ["2"]
      timeline.note("child asked to run")
    }

    /// Starts the child with SIGTERM unblocked.
    ///
    /// Dispatch's threads block signals. On Linux, a child process inherits the signal mask of the thread that starts
    /// it, and would ignore `terminate()`.
    func start(_ completion: @escaping @Sendable (Result<String, any Error>) -> Void) throws {
      process.terminationHandler = { [timeline] process in
        let how = process.terminationReason == .exit ? "status" : "signal"
        timeline.note("child ended: \(how) \(process.terminationStatus)")
        completion(.success("exit status \(process.terminationStatus)"))
      }
      var signals = sigset_t()
      var before = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGTERM)
      pthread_sigmask(SIG_UNBLOCK, &signals, &before)
      defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
      try process.run()
    }
  }
}
