import FakeCallbackSDK
import Testing

/// Lets only one of these tests run at a time: threads that spin would take the cores from each
/// other.
///
/// To be given before `.watchdog`, which then does not count the time in the queue.
struct OneAtATime: TestTrait, SuiteTrait, TestScoping {
  /// Fires when the last of the tests that have come has ended.
  private static let last = Protected<Signal?>(nil)

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    let hasEnded = Signal()
    let previous = OneAtATime.last.withLock { last in
      defer { last = hasEnded }
      return last
    }
    await previous?.wait()
    defer { hasEnded.fire() }
    try await function()
  }
}

extension Trait where Self == OneAtATime {
  static var oneAtATime: Self { OneAtATime() }
}
