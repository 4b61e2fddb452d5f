import Foundation
import Synchronization

/// Whether somebody wants this program to end. What it has started is a process group of its own, which the
/// terminal's interrupt does not reach.
enum Interrupt {
  private static let flag = Atomic<Bool>(false)

  static var wasSent: Bool { flag.load(ordering: .relaxed) }

  static func listen() {
    _ = wasSent  // Made here, rather than in a signal handler.
    for signal in [SIGINT, SIGTERM] {
      Foundation.signal(signal) { _ in Interrupt.flag.store(true, ordering: .relaxed) }
    }
  }
}
