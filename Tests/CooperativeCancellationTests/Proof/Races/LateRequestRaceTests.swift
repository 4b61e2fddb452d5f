import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

private let races = tries(4_000)

/// One thread hands the request over, the other one runs the task.
@Suite(
  "Races of a request that arrives in a callback",
  .serialized,
  .oneAtATime,
  .watchdog,
  .ownThread
)
struct LateRequestRaceTests {
  /// Where the two threads met, and the outcome.
  private enum Outcome: CaseIterable {
    /// The request came first: `onCancel` cancelled it.
    case cancelledInOnCancel
    /// The cancellation came first: the SDK's callback cancelled it.
    case cancelledInCallback
  }

  @Test(arguments: CancellationResponse.heeding)
  func `a request and a cancellation meet, and the request is cancelled once`(
    response: CancellationResponse
  ) {
    var split = Split(of: Outcome.allCases)
    while split.goesOn(for: races) {
      let taskThread = ObjectIdentifier(Thread.current)
      let outcome = Protected<Outcome?>(nil)
      let watch = Watch(
        response: response,
        inOnCancel: {
          let isInOnCancel = ObjectIdentifier(Thread.current) == taskThread
          outcome.withLock { $0 = isInOnCancel ? .cancelledInOnCancel : .cancelledInCallback }
        }
      )
      let call = TestCall(.laterRequest, .onDemand, watch)
      let (backend, executor) = (call.backend, call.executor)
      call.run()
      call.cancel()
      raceTwo { side in
        // Otherwise one of them is nearly always first.
        for _ in 0..<Int.random(in: 0..<300) { outcome.withLock { _ = $0 } }
        if side == 0 { executor.runUntilIdle() } else { backend.handOverRequests() }
      }
      backend.answer(.failure(.cancelled))
      call.run()
      let ended = call.ending == (response == .deliverResult ? .failure(.cancelled) : .cancelled)
      guard ended, watch.forwarded == 1, backend.counts.cancelled == 1, backend.requests == 0,
        let outcome = outcome.withLock({ $0 })
      else {
        Issue.record(
          "race \(split.rounds): \(watch.events), \(backend.counts), \(backend.requests) kept"
        )
        return
      }
      split[outcome] += 1
    }
    print("a request against a cancellation, \(response): \(split)")
  }
}
