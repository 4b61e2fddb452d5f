import NIOCore
import NIOEmbedded
import Testing

@testable import Services

@Suite("SwiftNIO: scheduled work", .watchdog)
@MainActor
struct EventLoopTests {
  @Test
  func `cancelling takes scheduled work off the loop`() async throws {
    let loop = NIOAsyncTestingEventLoop()
    let hasBegun = Signal()
    await confirmation("the work runs", expectedCount: 0) { workRuns in
      let task = Task {
        hasBegun.fire()
        try await loop.run(in: .hours(1)) { workRuns() }
      }
      // The task has the main actor until it waits for the loop.
      await hasBegun.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      await loop.advanceTime(by: .hours(1))
    }
  }

  @Test
  func `scheduled work runs when its time has come`() async throws {
    let loop = NIOAsyncTestingEventLoop()
    let hasBegun = Signal()
    let task = Task {
      hasBegun.fire()
      return try await loop.run(in: .hours(1)) { "done" }
    }
    await hasBegun.wait()
    await loop.advanceTime(by: .hours(1))
    #expect(try await task.value == "done")
  }
}
