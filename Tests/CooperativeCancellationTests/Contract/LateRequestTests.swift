import CooperativeCancellation
import FakeCallbackSDK
import Testing

@Suite("A request that arrives in a callback", .watchdog)
struct LateRequestTests {
  @Test(arguments: CancellationResponse.allCases)
  func `a request that came first is cancelled in onCancel, once`(response: CancellationResponse) {
    let call = TestCall(.laterRequest, .onDemand, Watch(response: response))
    call.run()
    call.backend.handOverRequests()
    call.cancel()
    // Not from inside the runtime's cancellation handler: the task has not run yet.
    #expect(call.watch.forwarded == 0)
    call.run()
    #expect(call.backend.counts == .init(started: 1, cancelled: 1))
    call.backend.answer(.failure(.cancelled))
    call.run()
    #expect(call.ending == (response == .deliverResult ? .failure(.cancelled) : .cancelled))
    #expect(call.watch.events == [.operation, .onCancel])
    #expect(call.backend.requests == 0)
  }

  @Test(arguments: CancellationResponse.allCases)
  func `a request that comes after the cancellation is cancelled when it comes`(
    response: CancellationResponse
  ) {
    let call = TestCall(.laterRequest, .onDemand, Watch(response: response))
    call.run()
    call.cancel()
    call.run()
    #expect(call.ending == (response == .abandonCallback ? .cancelled : nil))
    #expect(call.backend.counts == .init(started: 1, cancelled: 0))
    call.backend.handOverRequests()
    #expect(call.watch.events == [.operation, .onCancel])
    #expect(call.backend.counts == .init(started: 1, cancelled: 1))
    #expect(call.backend.requests == 0, "it is not kept")
    call.backend.answer(.failure(.cancelled))
    call.run()
    #expect(call.ending == (response == .deliverResult ? .failure(.cancelled) : .cancelled))
    #expect(call.watch.forwarded == 1)
  }

  @Test
  func `a timeout is forwarded in the same way`() async {
    let call = TestCall(.laterRequest, .never, Watch(timeout: .milliseconds(1)))
    call.run()
    await call.becomesReady()
    call.run()
    #expect(call.ending == .timedOut("1 millisecond", line: call.watch.line))
    #expect(call.watch.forwarded == 0)
    call.backend.handOverRequests()
    #expect(call.watch.forwarded == 1)
  }

  @Test
  func `each of several requests is cancelled once`() {
    let call = TestCall(.laterRequest, .onDemand)
    call.run()
    call.backend.handOverRequests()
    call.backend.handOverRequests()
    call.cancel()
    call.run()
    #expect(call.watch.forwarded == 2)
    call.backend.handOverRequests()
    #expect(call.watch.forwarded == 3)
  }

  @Test
  func `a request is kept while the SDK works, and released with the wait`() {
    let call = TestCall(.laterRequest, .onDemand)
    call.run()
    call.backend.handOverRequests()
    #expect(call.backend.requests == 1)
    call.backend.answer()
    call.run()
    #expect(call.ending == .value("uploaded"))
    // The SDK still has its callback.
    #expect(call.backend.requests == 0)
    call.backend.handOverRequests()
    #expect(call.backend.requests == 0)
    #expect(call.watch.forwarded == 0)
  }

  @Test
  func `a cancellation after the answer is not forwarded`() {
    let call = TestCall(.laterRequest, .onDemand)
    call.run()
    call.backend.handOverRequests()
    call.backend.answer()
    call.cancel()
    call.run()
    #expect(call.ending == .cancelled)
    call.backend.handOverRequests()
    #expect(call.watch.forwarded == 0)
    #expect(call.watch.discarded == 1)
  }

  @Test
  func `when operation throws, a request is released, and none is cancelled`() {
    let call = TestCall(
      .laterRequest,
      .onDemand,
      Watch(afterSDK: { throw SDKError.failed })
    )
    call.run()
    call.cancel()
    #expect(call.ending == .failure(.failed))
    call.backend.handOverRequests()
    #expect(call.watch.forwarded == 0)
    #expect(call.backend.requests == 0)
  }

  @Test
  func `an error from the SDK's start is thrown`() {
    #expect(throws: SDKError.failed) {
      try LateRequest(cancel: { (_: Int) in }) { _ in throw SDKError.failed }
    }
  }

  @Test
  func `no lock held: a cancellation may use the requests of its own wait`() {
    let handOver = Protected<(@Sendable (Int) -> Void)?>(nil)
    let cancelled = Protected<[Int]>([])
    let both = Protected<LateRequest<Int>?>(nil)
    // Does what would deadlock, or trap, under the library's lock.
    let request = LateRequest<Int>(
      cancel: { number in
        cancelled.withLock { $0.append(number) }
        let (arrived, request) = (handOver.withLock { $0 }, both.withLock { $0 })
        if number < 4 { arrived?(number + 1) }
        request?.cancel()
      }
    ) { arrived in
      handOver.withLock { $0 = arrived }
    }
    both.withLock { $0 = request }
    let arrived = handOver.withLock { $0 }
    arrived?(1)
    request.cancel()
    arrived?(4)
    #expect(cancelled.withLock { $0 } == [1, 2, 3, 4, 4])
    both.withLock { $0 = nil }
    handOver.withLock { $0 = nil }
  }

  @Test
  func `no lock held: a request may hand over another when it is released`() {
    final class Releasing: Sendable {
      let onRelease: @Sendable () -> Void
      init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
      deinit { onRelease() }
    }
    let released = Protected(0)
    do {
      let handOver = Protected<(@Sendable (Releasing) -> Void)?>(nil)
      let request = LateRequest<Releasing>(cancel: { _ in }) { arrived in
        handOver.withLock { $0 = arrived }
      }
      let arrived = handOver.withLock { $0 }
      handOver.withLock { $0 = nil }
      for _ in 0..<2 {
        arrived?(
          Releasing {
            released.withLock { $0 += 1 }
            arrived?(Releasing { released.withLock { $0 += 1 } })
          }
        )
      }
      _ = request
    }
    #expect(released.withLock { $0 } == 4)
  }

  /// Calls from nonisolated code, an actor and the main actor are in `CallSiteTests`.
  @Test
  func `in a series of calls, no call keeps another's request`() async throws {
    for _ in 0..<100 {
      let sdk = FakeSDK(.later)
      let backend = sdk.backend
      let user = try await withAsyncThrowingValue { completion in
        LateRequest(cancel: { $0.cancel() }) {
          sdk.upload(requestHandler: $0, completion: completion)
        }
      } onCancel: {
        $0.cancel()
      }
      #expect(user.id == "uploaded")
      #expect(backend.counts.cancelled == 0 && backend.requests == 0)
    }
  }
}
