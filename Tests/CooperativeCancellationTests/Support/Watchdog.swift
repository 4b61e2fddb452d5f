import CooperativeCancellation
import Foundation
import Testing

/// Turns a hang into a failure: a test that does not end in time ends the test run, with its name.
///
/// `WATCHDOG_SECONDS=20 swift test` shortens the time of all tests, for a run in which hangs are expected.
struct Watchdog: TestTrait, SuiteTrait, TestScoping {
  let seconds: Double

  init(seconds: Double) {
    let limit = ProcessInfo.processInfo.environment["WATCHDOG_SECONDS"].flatMap(Double.init)
    self.seconds = min(seconds, limit ?? seconds)
  }

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    // A whole suite is as long as its tests are together; each of them has a watchdog of its own.
    guard testCase != nil else { return try await function() }
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInteractive))
    timer.schedule(deadline: .now() + seconds)
    let seconds = seconds
    timer.setEventHandler {
      print("error: watchdog: “\(test.name)” still runs after \(seconds) s: it hangs.")
      fflush(nil)
      // With the exit tests that it has started, which nobody else would end: SwiftPM gives each test run a
      // process group of its own.
      if getpgrp() == getpid() { kill(0, SIGKILL) }
      exit(EXIT_FAILURE)
    }
    timer.resume()
    defer { timer.cancel() }
    try await function()
  }
}

extension Trait where Self == Watchdog {
  /// Long, because a test may have to wait for others: on two cores, two of them can have all threads.
  static var watchdog: Self { Watchdog(seconds: 600) }
}

extension Timeout {
  /// As long as the watchdog's: what is waited for comes, unless the test hangs.
  static var watchdog: Timeout { .seconds(600) }
}
