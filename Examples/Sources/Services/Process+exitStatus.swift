import CooperativeCancellation
import Foundation

extension Process {
  /// Runs the process, and returns its exit status or the number of the signal that ended it.
  ///
  /// A cancellation terminates the process, and is thrown only when the process has ended.
  func exitStatus() async throws -> Int32 {
    try await withAsyncThrowingValue(whenCancelled: .waitForCallback) { completion in
      terminationHandler = { completion(.success($0.terminationStatus)) }
      try runUnblocked()
    } onCancel: {
      // On Linux, `terminate()` also signals a process that has ended, whose number may now be
      // another's.
      if isRunning { terminate() }
    }
  }

  /// Starts the process so that it can be terminated.
  ///
  /// Threads that run tasks block signals, and on Linux a child inherits the mask of the thread
  /// that starts it.
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
