import CooperativeCancellation
import FakeCallbackSDK
import PendingAnswers
import Testing

/// Many that wait for one event.
@Suite("Pending events", .watchdog) struct PendingEventTests {
  private let event = PendingEvent<Int>()
  private let executor = ManualExecutor()

  private func begin() -> Task<Int, any Error> {
    defer { executor.runUntilIdle() }
    return Task(executorPreference: executor) { [event] in try await event.value() }
  }

  @Test
  func `an event that closes it reaches those that wait, and all that come later`() async throws {
    let waiting = begin()
    event.close(returning: 1)
    event.close(returning: 2)
    event.close(throwing: SDKError.failed)
    #expect(event.tryResume(returning: 3) == 0)
    executor.runUntilIdle()
    #expect(try await waiting.value == 1)
    #expect(try await event.value { Issue.record("the SDK is called") } == 1)
    #expect(event.count == 0)
    // Check before.
    let late = Task(executorPreference: executor) { [event] in try await event.value() }
    late.cancel()
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `only the first close counts, also of one that comes during the call`() async throws {
    #expect(try await event.value { event.close(returning: 1) } == 1)
    let failed = PendingEvent<Void>()
    failed.close(throwing: SDKError.failed)
    failed.close(returning: ())
    await #expect(throws: SDKError.failed) { try await failed.value() }
  }

  @Test func `a wait that is cancelled or times out leaves, and the others go on`() async throws {
    let (first, others) = (begin(), [begin(), begin()])
    first.cancel()
    executor.runUntilIdle()
    await #expect(throws: CancellationError.self) { try await first.value }
    await #expect(throws: TimeoutError.self) { try await event.value(timeout: .milliseconds(1)) }
    #expect(event.count == 2)
    #expect(event.tryResume(returning: 1) == 2)
    executor.runUntilIdle()
    for other in others { #expect(try await other.value == 1) }
  }
}
