import Foundation
import Synchronization

/// Runs `body` on two threads that begin at the same moment, and returns when both have ended.
///
/// Not `concurrentPerform`, which on a busy machine runs both on one thread, one after the other.
func raceTwo(_ body: @escaping @Sendable (Int) -> Void) {
  final class Line: Sendable {
    let arrived = Atomic(0)
    let ended = DispatchSemaphore(value: 0)

    func start() {
      arrived.add(1, ordering: .acquiringAndReleasing)
      spin { arrived.load(ordering: .acquiring) == 2 }
    }
  }
  let line = Line()
  Thread.detachNewThread {
    line.start()
    body(1)
    line.ended.signal()
  }
  line.start()
  body(0)
  line.ended.wait()
}
