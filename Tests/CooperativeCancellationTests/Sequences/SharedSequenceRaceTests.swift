import CooperativeCancellation
import FakeCallbackSDK
import Foundation
import Testing

/// An SDK with one slot. Its thread counts, and sometimes says that it has finished. It stops when told that nobody reads.
private final class Counter: Sendable {
  private struct Slot {
    let number: Int
    /// Released at the end, which ends the sequence.
    var yield: (@Sendable (Int) -> Bool)?
  }

  private struct State {
    var slot: Slot?
    var registrations = 0
    var hasMet = false
    var isOver = false
  }

  private let state = Protected(State())
  private let hasEnded = Signal()

  var registrations: Int { state.withLock { $0.registrations } }
  /// Whether a registration began before the one before was ended.
  var hasMet: Bool { state.withLock { $0.hasMet } }
  var isRegistered: Bool { state.withLock { $0.slot != nil } }

  var numbers: SendableCallbackSequence<Int, Never> {
    SendableCallbackSequence {
      AsyncCallbackSequence(buffering: .unbounded) { (yield: @escaping @Sendable (Int) -> Bool) in
        self.state.withLock { state in
          state.hasMet = state.hasMet || state.slot != nil
          state.registrations += 1
          state.slot = Slot(number: state.registrations, yield: yield)
        }
      } onTermination: {
        let old = self.state.withLock { $0.slot.take() }
        withExtendedLifetime(old) {}
      }
    }
  }

  func start() {
    Thread.detachNewThread {
      var number = 0
      var stopped = 0
      while true {
        let (slot, isOver) = self.state.withLock { ($0.slot, $0.isOver) }
        if isOver { break }
        guard let slot, let yield = slot.yield, slot.number != stopped else {
          sched_yield()
          continue
        }
        number += 1
        if !yield(number) { stopped = slot.number }
        if number.isMultiple(of: 500) { self.release(slot.number) }
      }
      self.hasEnded.fire()
    }
  }

  private func release(_ number: Int) {
    let old = state.withLock { state in
      state.slot?.number == number ? state.slot?.yield.take() : nil
    }
    withExtendedLifetime(old) {}
  }

  func stop() async {
    state.withLock { $0.isOver = true }
    await hasEnded.wait()
  }
}

/// Eight readers, slow and fast, that leave, are cancelled and come back.
@Suite("Sequences: shared, on real threads", .serialized, .oneAtATime, .watchdog)
struct SharedSequenceRaceTests {
  private enum Outcome: CaseIterable { case left, cancelled, ended }

  @Test(arguments: [false, true])
  private func `readers that come and go get all elements in order, and registrations never meet`(
    replays: Bool
  ) async {
    let counter = Counter()
    let numbers = counter.numbers.shared(replayingLatest: replays)
    let split = Protected(Split(of: Outcome.allCases))
    let gaps = Protected(0)
    counter.start()
    await withTaskGroup { group in
      for reader in 0..<8 {
        group.addTask {
          while split.withLock({ $0.goesOn(for: tries(100_000)) }) {
            let limit = Int.random(in: 1...20)
            let reading = Task {
              var (last, count) = (Int?.none, 0)
              for await number in numbers {
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
    await counter.stop()
    while counter.isRegistered { await Task.yield() }
    print(
      "shared, replaying: \(replays): \(counter.registrations) registrations,",
      split.withLock { $0 }
    )
    #expect(gaps.withLock { $0 } == 0, "no element is lost, doubled or out of order")
    #expect(!counter.hasMet)
    #expect(counter.registrations > 1)
  }
}
