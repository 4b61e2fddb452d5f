import Dispatch
import FakeCallbackSDK
import Foundation

/// Ends the test run when something makes no progress for a while, and prints where it is stuck.
struct StallWatchdog {
  private let timer: any DispatchSourceTimer

  /// - Parameters:
  ///   - progress: A number that changes as long as there is progress.
  ///   - state: What to print if there is none.
  init(
    seconds: Int,
    progress: @escaping @Sendable () -> Int,
    state: @escaping @Sendable () -> String
  ) {
    let last = Protected<Int?>(nil)
    timer = DispatchSource.makeTimerSource(queue: .global(qos: .userInteractive))
    timer.schedule(deadline: .now() + .seconds(seconds), repeating: .seconds(seconds))
    timer.setEventHandler {
      let now = progress()
      let isStuck = last.withLock { last in
        defer { last = now }
        return last == now
      }
      guard isStuck else { return }
      print("error: watchdog: nothing has happened for \(seconds) s: \(state())")
      exit(EXIT_FAILURE)
    }
    timer.resume()
  }

  func stop() {
    timer.cancel()
  }
}
