import CooperativeCancellation
import Dispatch
import FakeCallbackSDK
import Synchronization
import TaskBags
import Testing

@Suite("TaskBag, many threads", .serialized, .oneAtATime, .watchdog) struct TaskBagRaceTests {
  private enum Fate: CaseIterable {
    case finished, cancelled, cancelledByID, neverBegan
  }

  @Test func `a bag may be used by several threads at once, in all its functions`()
    async throws
  {
    let split = Protected(Split(of: Fate.allCases))
    let added = Atomic(0)
    /// The body of every task: ends at once, or waits for its cancellation.
    @Sendable func makeBody() -> @Sendable () async -> Void {
      added.add(1, ordering: .relaxed)
      let (waits, hasBegun) = (Bool.random(), Protected(false))
      let member = OnRelease {
        if !hasBegun.withLock({ $0 }) { split.withLock { $0[.neverBegan] += 1 } }
      }
      return {
        withExtendedLifetime(member) { hasBegun.withLock { $0 = true } }
        while waits, !Task.isCancelled { await Task.yield() }
        split.withLock { $0[waits ? .cancelled : .finished] += 1 }
      }
    }
    while split.withLock({ $0.goesOn(for: 200, often: 100) }) {
      var bag: TaskBag? = TaskBag()
      let members = Protected(bag)
      bag = nil
      raceTwo { _ in
        for _ in 0..<50 {
          // The last owner may be either thread, or a task.
          guard let bag = members.withLock({ $0 }) else { continue }
          switch Int.random(in: 0..<100) {
          case 0..<30:
            let body = makeBody()
            bag.add { await body() }
          case 30..<60:
            let policy = Bool.random() ? TaskBag.TakenIDPolicy.replace : .replaceAtOnce
            let body = makeBody()
            bag.add(id: Int.random(in: 0..<3), ifTaken: policy) { await body() }
          case 60..<75:
            let body = makeBody()
            Task { await body() }.store(in: bag)
          case 75..<95:
            if bag.cancel(id: Int.random(in: 0..<3)) {
              split.withLock { $0[.cancelledByID] += 1 }
            }
          case 95..<98:
            bag.cancelAll()
          default:
            members.withLock { $0 = nil }
          }
        }
      }
      members.withLock { $0 = nil }
      func ended() -> Int { split.withLock { $0[.finished] + $0[.cancelled] + $0[.neverBegan] } }
      while ended() < added.load(ordering: .relaxed) { await Task.yield() }
      #expect(ended() == added.load(ordering: .relaxed), "each ended once")
    }
    print("task bag raced: \(split.withLock { $0 })")
  }
}
