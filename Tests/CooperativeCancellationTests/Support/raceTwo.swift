import FakeCallbackSDK
import Foundation
import Synchronization

/// Runs `body` on two threads that begin at the same moment, and returns when both have ended.
///
/// Not `concurrentPerform`, which on a busy machine runs both on one thread, one after the other.
func raceTwo(_ body: @escaping @Sendable (Int) -> Void) {
  final class Line: Sendable {
    let arrived = Atomic(0)
    let hasEnded = Atomic(false)

    func start() {
      arrived.add(1, ordering: .acquiringAndReleasing)
      spin { arrived.load(ordering: .acquiring) == 2 }
    }
  }
  let line = Line()
  let opponent = Opponent.idle.withLock { $0.popLast() } ?? Opponent()
  opponent.run {
    line.start()
    body(1)
    line.hasEnded.store(true, ordering: .releasing)
  }
  line.start()
  body(0)
  spin { line.hasEnded.load(ordering: .acquiring) }
  Opponent.idle.withLock { $0.append(opponent) }
}

/// A thread for one race after the other: to start one takes longer than a race.
private final class Opponent: Sendable {
  static let idle = Protected<[Opponent]>([])

  private let begins = DispatchSemaphore(value: 0)
  private let next = Protected<(@Sendable () -> Void)?>(nil)

  init() {
    Thread.detachNewThread { [self] in
      while true {
        begins.wait()
        next.withLock { $0.take() }?()
      }
    }
  }

  func run(_ body: @escaping @Sendable () -> Void) {
    next.withLock { $0 = body }
    begins.signal()
  }
}
