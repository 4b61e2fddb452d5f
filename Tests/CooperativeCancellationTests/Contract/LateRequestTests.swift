import CooperativeCancellation
import FakeCallbackSDK
import Testing

/// A request that comes before the cancellation is that of ``BridgeForm/lateRequest``, over which
/// each guarantee runs. Calls from nonisolated code, an actor and the main actor are in
/// `CallSites`.
@Suite("A request that arrives in a callback", .watchdog) struct LateRequestTests {
  @Test(arguments: stories)
  func `a late request is cancelled if the wait was, and otherwise released`(_ story: Story)
    async throws
  {
    try await story.play()
  }

  private static let forms = [BridgeForm.laterRequest]
  private static let stories = [
    Story(
      holds: "a request that comes after the wait is cancelled when it comes, and not kept",
      forms: forms,
      steps: [.run, .cancel, .run, .hasForwarded(0), .handOver, .keepsRequests(0), .fail],
      ends: .cancelled,
      forwards: 1
    ),
    Story(
      holds: "a request that comes after the SDK's answer is released",
      forms: forms,
      steps: [.run, .answer, .run, .handOver, .keepsRequests(0)],
      ends: .delivered
    ),
    Story(
      holds: "when operation throws, a request is released, and none is cancelled",
      forms: forms,
      operation: .callsSDKAndThrows,
      steps: [.run, .cancel, .handOver, .keepsRequests(0)],
      ends: .refused
    ),
  ]

  @Test func `an error from the SDK's start is thrown`() {
    #expect(throws: SDKError.failed) {
      try LateRequest<Int> { _ in throw SDKError.failed }
    }
  }

  @Test func `no lock held: a cancellation may use the requests of its own wait`() {
    let handOver = Protected<(@Sendable (Int) -> Void)?>(nil)
    let cancelled = Protected<[Int]>([])
    let both = Protected<LateRequest<Int>?>(nil)
    // Does what would deadlock, or trap, under the library's lock.
    @Sendable func cancel(_ number: Int) {
      cancelled.withLock { $0.append(number) }
      let (arrived, request) = (handOver.withLock { $0 }, both.withLock { $0 })
      if number < 4 { arrived?(number + 1) }
      request?.cancel { _ in Issue.record("only the first call counts") }
    }
    let request = LateRequest<Int> { arrived in handOver.withLock { $0 = arrived } }
    both.withLock { $0 = request }
    let arrived = handOver.withLock { $0 }
    arrived?(1)
    request.cancel(cancel)
    arrived?(4)
    #expect(cancelled.withLock { $0 } == [1, 2, 3, 4, 4])
    both.withLock { $0 = nil }
    handOver.withLock { $0 = nil }
  }

  @Test func `no lock held: a request may hand over another when it is released`() {
    let released = Protected(0)
    do {
      let handOver = Protected<(@Sendable (OnRelease) -> Void)?>(nil)
      let request = LateRequest<OnRelease> { arrived in
        handOver.withLock { $0 = arrived }
      }
      let arrived = handOver.withLock { $0 }
      handOver.withLock { $0 = nil }
      for _ in 0..<2 {
        arrived?(
          OnRelease {
            released.withLock { $0 += 1 }
            arrived?(OnRelease { released.withLock { $0 += 1 } })
          }
        )
      }
      _ = request
    }
    #expect(released.withLock { $0 } == 4)
  }
}
