import CooperativeCancellation
import Foundation
import Synchronization

/// Events with their times.
final class Timeline: Sendable {
  private let start = ContinuousClock.now
  private let events = Mutex<[String]>([])
  private let task = Mutex<Task<Void, any Error>?>(nil)

  var lines: [String] { events.withLock { $0 } }

  func note(_ text: String) {
    let time = String(format: "%.2f s  ", (ContinuousClock.now - start) / .seconds(1))
    events.withLock { $0.append(time + text) }
  }

  func cancelTask() {
    note("task cancelled")
    task.withLock { $0 }?.cancel()
  }

  /// Runs `body` in a task, cancels the task, and waits for it and for the server.
  static func recording(
    cancelAfter time: Duration?,
    _ body: @escaping @Sendable (Timeline) async throws -> String
  ) async throws -> Timeline {
    let timeline = Timeline()
    let task = Task {
      do {
        timeline.note("wait returned: \(try await body(timeline))")
      } catch  where error is CancellationError || error is TimeoutError || error is TimedOut {
        timeline.note("wait returned: \(type(of: error))")
      }
    }
    timeline.task.withLock { $0 = task }
    if let time {
      try await Task.sleep(for: time)
      timeline.cancelTask()
    }
    try await task.value
    // The server may continue after the wait has returned. Waits for it for at most five seconds.
    for _ in 0..<500 where !timeline.lines.contains(where: { $0.contains("server:") }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    return timeline
  }
}
