import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import Synchronization
import Testing

#if DEBUG
  private let races = 20_000
#else
  private let races = 300_000
#endif

@Suite("Races on real threads", .serialized, .watchdog(seconds: 300))
struct RaceTests {
  /// An SDK that calls back while holding the lock that its `cancel()` takes deadlocks with a bridge that
  /// cancels it from inside the runtime's cancellation handler.
  @Test
  func `an SDK that answers under the lock that its cancel takes neither hangs nor loses a value`()
    async
  {
    var split = Split()
    var produced = 0
    var count = 0
    // Goes on until each outcome has occurred often enough to count, up to a cap.
    while count < races || (split.rarest < races / 1_000 && count < races * 10) {
      count += 1
      let sdk = FakeSDK(.underItsLock)
      let backend = sdk.backend
      let discarded = Atomic(0)
      let forwarded = Atomic(0)
      let pause = Int.random(in: 0..<200)
      let task = Task {
        try await withAsyncThrowingValue { completion in
          sdk.loadUser(id: "1", completion: completion)
        } onCancel: { request in
          forwarded.add(1, ordering: .relaxed)
          request.cancel()
        } onDiscard: { _ in
          discarded.add(1, ordering: .relaxed)
        }
      }
      if count.isMultiple(of: 2) {
        while backend.counts.started == 0 { await Task.yield() }
      }
      for _ in 0..<pause { _ = forwarded.load(ordering: .relaxed) }
      task.cancel()
      let wasDelivered = (try? await task.value) != nil
      let counts = backend.counts
      guard counts.started == 1 else {
        split.notStarted += 1
        #expect(!wasDelivered)
        continue
      }
      // The SDK answers in any case: wait for it.
      while !wasDelivered && discarded.load(ordering: .acquiring) == 0 { await Task.yield() }
      produced += 1
      let isForwarded = forwarded.load(ordering: .relaxed) == 1
      #expect(backend.counts.completed == 1)
      #expect(discarded.load(ordering: .relaxed) == (wasDelivered ? 0 : 1))
      #expect(!(wasDelivered && isForwarded))
      split.count(wasDelivered: wasDelivered, isForwarded: isForwarded)
    }
    print("SDK's lock against cancel, \(count) races: \(split)")
    #expect(split.delivered + split.forwarded + split.discardedByCheckAfter == produced)
    #expect(split.rarest > 0, "a race in which an outcome never occurs proves nothing: \(split)")
  }

  struct Split: CustomStringConvertible {
    var notStarted = 0
    var delivered = 0
    var forwarded = 0
    var discardedByCheckAfter = 0

    var rarest: Int { min(notStarted, delivered, forwarded, discardedByCheckAfter) }

    mutating func count(wasDelivered: Bool, isForwarded: Bool) {
      if wasDelivered {
        delivered += 1
      } else if isForwarded {
        forwarded += 1
      } else {
        discardedByCheckAfter += 1
      }
    }

    var description: String {
      """
      \(notStarted) cancelled before the SDK was called, \(delivered) delivered, \(forwarded) \
      cancelled and forwarded, \(discardedByCheckAfter) discarded by the check after
      """
    }
  }
}
