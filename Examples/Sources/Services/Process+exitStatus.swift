import CooperativeCancellation
import Foundation

extension Process {
  /// Runs the process, and returns its exit status or the number of the signal that ended it.
  ///
  /// A cancel terminates it, and is thrown when it has ended, so that nothing runs on unseen.
  func exitStatus() async throws -> Int32 {
    try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
      terminationHandler = { completion(.success($0.terminationStatus)) }
      try runUnblocked()
    } onCancel: {
      // On Linux, `terminate()` signals the number of a process that has ended, too: another's by now.
      if isRunning { terminate() }
    }
  }

  /// Starts the process so that it can be terminated.
  ///
  /// The threads that run tasks block signals, and on Linux a child inherits that from the thread that
  /// starts it.
  private func runUnblocked() throws {
    var signals = sigset_t()
    var before = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try run()
  }
}
