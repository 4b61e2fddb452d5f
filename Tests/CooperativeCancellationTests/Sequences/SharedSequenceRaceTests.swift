import CallbackSequences
import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

/// Eight readers, slow and fast, that leave, are cancelled and come back.
@Suite("Sequences: shared, on real threads", .serialized, .oneAtATime, .watchdog)
struct SharedSequenceRaceTests {
  private enum Outcome: CaseIterable { case left, cancelled, ended }

  /// Its thread plays, and sometimes ends what has registered.
  private static func start(_ mast: Mast, isOver: Protected<Bool>, hasEnded: Signal) {
    Thread.detachNewThread {
      while !isOver.withLock({ $0 }) {
        mast.play()
        if mast.made.isMultiple(of: 500) { mast.release() }
        if mast.listenerCount == 0 { sched_yield() }
      }
      hasEnded.fire()
    }
  }

  @Test(arguments: [false, true])
  private func `readers that come and go get all elements in order, and registrations never meet`(
    replays: Bool
  ) async {
    let (mast, isOver, hasEnded) = (Mast(), Protected(false), Signal())
    let mostListeners = Protected(0)
    let songs = SendableCallbackSequence {
      AsyncCallbackSequence(buffering: .unbounded) { yield in
        let subscriber = FakeStation(mast).scan(yield)
        mostListeners.withLock { $0 = max($0, mast.listenerCount) }
        return subscriber
      } onTermination: {
        $0.remove()
      }
    }.shared(replayingLatest: replays)
    let split = Protected(Split(of: Outcome.allCases))
    let gaps = Protected(0)
    Self.start(mast, isOver: isOver, hasEnded: hasEnded)
    await withTaskGroup { group in
      for reader in 0..<8 {
        group.addTask {
          while split.withLock({ $0.goesOn(for: tries(40_000)) }) {
            let limit = Int.random(in: 1...20)
            let reading = Task {
              var (last, count) = (Int?.none, 0)
              for await song in songs {
                let number = Int(song.title)
                if let last, number != last + 1 { gaps.withLock { $0 += 1 } }
                last = number
                count += 1
                if count == limit { return Outcome.left }
                if reader.isMultiple(of: 2) { await Task.yield() }
              }
              return Task.isCancelled ? .cancelled : .ended
            }
            if Int.random(in: 0..<4) == 0 {
              await Task.yield()
              reading.cancel()
            }
            let outcome = await reading.value
            split.withLock { $0[outcome] += 1 }
          }
        }
      }
    }
    isOver.withLock { $0 = true }
    await hasEnded.wait()
    while mast.removed.count < mast.added { await Task.yield() }
    print("shared, replaying: \(replays): \(mast.added) registrations,", split.withLock { $0 })
    #expect(gaps.withLock { $0 } == 0, "no element is lost, doubled or out of order")
    #expect(mostListeners.withLock { $0 } == 1)
    #expect(mast.added > 1)
  }
}
