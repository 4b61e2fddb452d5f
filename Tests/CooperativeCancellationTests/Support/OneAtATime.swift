import FakeCallbackSDK
import Testing

/// Lets only one of these tests run at a time: threads that spin would take the cores from each other.
///
/// To be given before `.watchdog`, which then does not count the time in the queue.
struct OneAtATime: TestTrait, SuiteTrait, TestScoping {
  private struct Queue {
    var isTaken = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private static let queue = Protected(Queue())

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test,
    testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await OneAtATime.enter()
    defer { OneAtATime.leave() }
    try await function()
  }

  private static func enter() async {
    await withCheckedContinuation { continuation in
      let mayEnter = queue.withLock { queue in
        if queue.isTaken {
          queue.waiting.append(continuation)
          return false
        }
        queue.isTaken = true
        return true
      }
      if mayEnter { continuation.resume() }
    }
  }

  private static func leave() {
    let next = queue.withLock { queue -> CheckedContinuation<Void, Never>? in
      if queue.waiting.isEmpty {
        queue.isTaken = false
        return nil
      }
      return queue.waiting.removeFirst()
    }
    next?.resume()
  }
}

extension Trait where Self == OneAtATime {
  static var oneAtATime: Self { OneAtATime() }
}
