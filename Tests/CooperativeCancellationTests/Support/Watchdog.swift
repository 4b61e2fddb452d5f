import CooperativeCancellation
import Foundation
import Testing

// The examples, which share this file, have `Protected.swift` itself.
#if canImport(FakeCallbackSDK)
  import FakeCallbackSDK
#endif

/// Turns a hang into a failure: a test that does not end in time ends the test run, with its name.
///
/// `WATCHDOG_SECONDS=20 swift test` shortens the time of all tests, for a run in which hangs are
/// expected.
nonisolated struct Watchdog: TestTrait, SuiteTrait, TestScoping {
  /// What the test that has set this is doing, for the report.
  static let state = Protected<@Sendable () -> String>({ "" })

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
    let beats = Beats(Task.currentPriority)
    timer.schedule(deadline: .now() + seconds / 20, repeating: seconds / 20)
    let seconds = seconds
    timer.setEventHandler {
      guard beats.next() else { return }
      let state = Watchdog.state.withLock { $0 }()
      print("error: watchdog: “\(test.name)” still runs after \(seconds) s: it hangs. \(state)")
      fflush(nil)
      // With its exit tests, which nothing else would end: SwiftPM gives each test run a process
      // group of its own.
      if getpgrp() == getpid() { kill(0, SIGKILL) }
      exit(EXIT_FAILURE)
    }
    timer.resume()
    defer { timer.cancel() }
    try await function()
  }
}

/// Tells a hang from a machine that is busy: time counts only as far as new tasks get their turn.
/// On two cores, two tests can have all threads of the pool for minutes.
nonisolated private final class Beats: Sendable {
  private struct State {
    var ticks = 0
    var beats = 0
    var isBeating = false
  }

  private let state = Protected(State())
  private let priority: TaskPriority

  /// - Parameter priority: The test's: each priority has threads of its own.
  init(_ priority: TaskPriority) { self.priority = priority }

  /// Begins a beat, unless the last one still waits for its turn. Returns whether the time is up:
  /// after 20 beats, or 100 ticks, which is when the pool hangs itself.
  func next() -> Bool {
    let (isUp, begins) = state.withLock { state in
      state.ticks += 1
      let begins = !state.isBeating
      state.isBeating = true
      return (state.beats >= 19 || state.ticks >= 100, begins)
    }
    if begins {
      Task.detached(priority: priority) { [state] in
        state.withLock { state in
          state.beats += 1
          state.isBeating = false
        }
      }
    }
    return isUp
  }
}

nonisolated extension Trait where Self == Watchdog {
  static var watchdog: Self { Watchdog(seconds: 600) }
}

extension Timeout {
  /// Longer than the watchdog's: what is waited for comes, unless the test hangs.
  static var watchdog: Timeout { .seconds(3600) }
}
